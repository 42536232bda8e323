//! A proxy as its two sides see it, line by line.

use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A proxy after its handshake, with what it was told to do.
struct Told {
    proxy: Proxy,
}

impl Told {
    fn new(capabilities: &Value, also_client: bool) -> Self {
        let mut told = Self { proxy: Proxy::new(also_client) };
        let initialize = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": capabilities}});
        told.client(&initialize);
        let result = json!({"serverInfo": {"name": "deployer", "version": "1"}});
        told.server(&json!({"jsonrpc": "2.0", "id": "i", "result": result}));
        told
    }

    fn client(&mut self, line: &Value) -> Vec<Effect> {
        self.proxy.from_client(&line.to_string())
    }

    fn server(&mut self, line: &Value) -> Vec<Effect> {
        self.proxy.from_server(&line.to_string(), NOW)
    }

    fn call(&mut self, id: &Value) {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "deploy", "arguments": {}, "_meta": {"progressToken": "t"}}});
        assert_eq!(self.client(&call), [Effect::Forward]);
    }

    /// The server asks; returns what is raised.
    fn asks(&mut self, id: &Value) -> Raise {
        let effects = self.server(&elicit(id));
        let [Effect::Raise(raise)] = effects.as_slice() else { panic!("{effects:?}") };
        (**raise).clone()
    }

    fn accept(&mut self, key: ElicitationKey, env: &str) -> Vec<Effect> {
        let answers = json!({"state": "submitted", "value": {"kind": "text", "value": env}});
        let answers =
            BTreeMap::from([(QuestionId::from("env"), serde_json::from_value(answers).unwrap())]);
        self.proxy.settled(key, Some(ChatInputResponseKind::Accept), &answers, NOW)
    }

    fn decline(&mut self, key: ElicitationKey) -> Vec<Effect> {
        let none = BTreeMap::new();
        self.proxy.settled(key, Some(ChatInputResponseKind::Decline), &none, NOW)
    }
}

fn elicit(id: &Value) -> Value {
    let schema =
        json!({"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]});
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create",
        "params": {"message": "Where to?", "requestedSchema": schema}})
}

fn to_server(effect: &Effect) -> Value {
    let Effect::ToServer(line) = effect else { panic!("{effect:?}") };
    serde_json::from_str(line).unwrap()
}

fn to_client(effect: &Effect) -> Value {
    let Effect::ToClient(line) = effect else { panic!("{effect:?}") };
    serde_json::from_str(line).unwrap()
}

#[test]
fn the_server_hears_of_a_client_that_can_elicit() {
    let mut proxy = Proxy::new(false);
    let line = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{ "x":1e400}},"_meta":{"z":0}}}"#;
    let [Effect::ToServer(sent)] = &proxy.from_client(line)[..] else { panic!() };
    assert_eq!(
        sent,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{ "x":1e400},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"elicitation":{"create":{}}}}},"_meta":{"z":0}}}"#
    );
    let mut proxy = Proxy::new(false);
    let call = r#"{"id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}"#;
    let [Effect::ToServer(sent)] = &proxy.from_client(call)[..] else { panic!() };
    assert!(sent.contains(r#""sampling":{},"elicitation":{"form":{},"url":{}}"#), "{sent}");
}

#[test]
fn all_else_goes_on_as_it_is() {
    let mut told = Told::new(&json!({}), false);
    for line in [
        "",
        "{",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"the client's"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32042,"data":{"elicitations":[]}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"?"}}"#,
    ] {
        assert_eq!(told.proxy.from_server(line, NOW), [Effect::Forward], "{line}");
        if !line.contains("elicitation") {
            assert_eq!(told.proxy.from_client(line), [Effect::Forward], "{line}");
        }
    }
}

#[test]
fn an_elicitation_is_raised_and_answered_under_its_id() {
    for id in [json!(0), json!("0"), json!(""), json!("abc-1"), json!(-7)] {
        let mut told = Told::new(&json!({}), false);
        told.call(&json!(1));
        let raise = told.asks(&id);
        let message = raise.elicitation.request().message.as_deref();
        assert_eq!(message, Some("deployer (deploy): Where to?"));
        let effects = told.accept(raise.key, "prod");
        let result = json!({"action": "accept", "content": {"env": "prod"}});
        assert_eq!(to_server(&effects[0]), json!({"jsonrpc": "2.0", "id": id, "result": result}));
        assert_eq!(effects.len(), 1);
        assert!(told.accept(raise.key, "prod").is_empty(), "it is answered once");
    }
}

#[test]
fn what_cannot_be_asked_is_an_error_of_the_server_or_ours() {
    let mut told = Told::new(&json!({}), false);
    let params = json!({"message": "m", "requestedSchema": {"type": "object",
        "properties": {"o": {"type": "object"}}, "required": ["o"]}});
    let ask = json!({"id": 5, "method": "elicitation/create", "params": params});
    let error = to_server(&told.server(&ask)[0]);
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!(5), &json!(-32602)));
    for (why, code) in [
        (Unasked::Refused("too long".to_owned()), -32602),
        (Unasked::Failed("disk".to_owned()), -32603),
    ] {
        let raise = told.asks(&json!("x"));
        let error = to_server(&told.proxy.unasked(raise.key, &why, NOW)[0]);
        assert_eq!(error["error"]["code"], code);
    }
}

#[test]
fn a_cancelled_elicitation_is_withdrawn_whatever_its_id() {
    for id in [json!(0), json!(""), json!("abc-1")] {
        let mut told = Told::new(&json!({}), false);
        let raise = told.asks(&id);
        let cancel = json!({"method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "Request timed out"}});
        let reason = Some("Request timed out".to_owned());
        assert_eq!(
            told.server(&cancel),
            [Effect::Withdraw(raise.key, Withdrawn::Cancelled { reason })]
        );
        assert!(told.accept(raise.key, "prod").is_empty(), "the server waits no more");
        assert_eq!(told.server(&cancel), [Effect::Forward], "it is not of this proxy");
    }
}

#[test]
fn the_end_of_its_calls_ends_what_was_asked_in_them() {
    let mut told = Told::new(&json!({}), false);
    let before = told.asks(&json!(9));
    told.call(&json!(1));
    told.call(&json!(2));
    let raise = told.asks(&json!(0));
    let done = |id: u32| json!({"id": id, "result": {"content": []}});
    assert_eq!(told.server(&done(1)), [Effect::Forward], "the other call may have asked");
    let effects = told.server(&done(2));
    assert_eq!(effects[0], Effect::Withdraw(raise.key, Withdrawn::CallEnded));
    let cancel = json!({"jsonrpc": "2.0", "id": 0, "result": {"action": "cancel"}});
    assert_eq!(to_server(&effects[1]), cancel, "a server that still waits must hear something");
    assert_eq!(effects[2], Effect::Forward);
    assert_eq!(told.proxy.open().collect::<Vec<_>>(), [before.key], "it came outside of any call");
}

#[test]
fn the_clients_cancel_ends_what_was_asked_in_the_call() {
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(0));
    let raise = told.asks(&json!(0));
    let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": 0}});
    let effects = told.client(&cancel);
    assert_eq!(effects[0], Effect::Forward);
    assert_eq!(effects[1], Effect::Withdraw(raise.key, Withdrawn::CallCancelled));
}

#[test]
fn a_call_that_went_on_as_a_task_leaves_its_questions_open() {
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    let raise = told.asks(&json!(0));
    let created = json!({"id": 1, "result": {"task": {"taskId": "t", "status": "working"}}});
    assert_eq!(told.server(&created), [Effect::Forward]);
    assert_eq!(told.proxy.open().count(), 1);
    assert_eq!(told.accept(raise.key, "prod").len(), 1);
}

#[test]
fn the_same_question_twice_is_two_requests_and_has_one_id_after_a_restart() {
    let mut told = Told::new(&json!({}), false);
    let ids: Vec<_> =
        (0..3).map(|id| told.asks(&json!(id)).elicitation.request().id.clone()).collect();
    assert_eq!(ids[1], format!("{}-2", ids[0]));
    assert_eq!(ids[2], format!("{}-3", ids[0]));
    let second = told.proxy.open().nth(1).unwrap();
    told.accept(second, "x");
    assert_eq!(told.asks(&json!(9)).elicitation.request().id, ids[1], "it is free again");
    let mut again = Told::new(&json!({}), false);
    assert_eq!(again.asks(&json!("other")).elicitation.request().id, ids[0]);
}

#[test]
fn whoever_answers_first_decides_where_the_client_is_told_too() {
    let capable = json!({"elicitation": {}});
    let mut told = Told::new(&capable, true);
    let effects = told.server(&elicit(&json!(0)));
    let [Effect::ToClient(line), Effect::Raise(raise)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(*line, elicit(&json!(0)).to_string());
    let effects = told.accept(raise.key, "prod");
    assert_eq!(to_server(&effects[0])["result"]["action"], "accept");
    assert_eq!(to_client(&effects[1])["params"]["requestId"], 0);
    let late = json!({"id": 0, "result": {"action": "decline"}});
    assert_eq!(told.client(&late), [], "it came too late, and the server has its answer");

    let effects = told.server(&elicit(&json!(1)));
    let [_, Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    let unable = json!({"id": 1, "error": {"code": -32601, "message": "?"}});
    assert_eq!(told.client(&unable), [], "people still can");
    assert_eq!(told.accept(raise.key, "prod").len(), 1);

    let effects = told.server(&elicit(&json!(2)));
    let [_, Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    let first = json!({"id": 2, "result": {"action": "decline"}});
    let withdrawn = Effect::Withdraw(raise.key, Withdrawn::AnsweredAtClient);
    assert_eq!(told.client(&first), [withdrawn, Effect::Forward]);

    let mut unable = Told::new(&json!({}), true);
    unable.asks(&json!(0));
}

#[test]
fn a_url_is_asked_first_and_the_call_is_made_again() {
    let needs = |url: &str| {
        let elicitation =
            json!({"mode": "url", "url": url, "message": "Sign in", "elicitationId": url});
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32042, "message": "first",
            "data": {"elicitations": [elicitation]}}})
    };
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    let effects = told.server(&needs("https://a.example/"));
    let [Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(raise.elicitation.request().url.as_deref(), Some("https://a.example/"));
    let complete = json!({"method": "notifications/elicitation/complete",
        "params": {"elicitationId": "https://a.example/"}});
    assert_eq!(told.server(&complete), [Effect::Done(raise.key)]);
    let effects = told.accept(raise.key, "");
    let again = to_server(&effects[0]);
    assert_eq!(
        (&again["method"], &again["params"]["name"]),
        (&json!("tools/call"), &json!("deploy"))
    );
    let second = again["id"].clone();
    assert_ne!(second, json!(1));

    // The client cancels under the id that it knows.
    let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": 1}});
    let mut other = Told::new(&json!({}), false);
    other.call(&json!(1));
    let effects = other.server(&needs("https://a.example/"));
    let [Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    let effects = other.accept(raise.key, "");
    let id = to_server(&effects[0])["id"].clone();
    assert_eq!(to_server(&other.client(&cancel)[0])["params"]["requestId"], id);

    // The same URL again: opening it does not help, and the client hears of it.
    let mut same = needs("https://a.example/");
    same["id"] = second.clone();
    let error = to_client(&told.server(&same)[0]);
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!(1), &json!(-32042)));

    // Somebody says no.
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    let effects = told.server(&needs("https://b.example/"));
    let [Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    let effects = told.decline(raise.key);
    assert_eq!(to_client(effects.last().unwrap())["error"]["code"], -32042);
    assert_eq!(told.server(&json!({"id": second, "result": {}})), [Effect::Forward]);
}

#[test]
fn rounds_carry_their_state_and_all_their_answers() {
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    let state = "\u{e9}\\ \"x\" {}";
    let request = json!({"method": "elicitation/create", "params": elicit(&json!(0))["params"]});
    let needs = json!({"id": 1, "result": {"resultType": "input_required",
        "inputRequests": {"a": request, "b": request}, "requestState": state}});
    let effects = told.server(&needs);
    let [Effect::Raise(a), Effect::Raise(b)] = &effects[..] else { panic!("{effects:?}") };
    assert!(a.lasts && a.elicitation.request().id != b.elicitation.request().id);
    assert_eq!(told.accept(a.key, "x"), []);
    let effects = told.decline(b.key);
    let again = to_server(&effects[0]);
    assert_eq!(again["params"]["requestState"], state);
    let answers =
        json!({"a": {"action": "accept", "content": {"env": "x"}}, "b": {"action": "decline"}});
    assert_eq!(again["params"]["inputResponses"], answers);
    assert_ne!(again["id"], 1);

    // The next round has no state: none is sent.
    let next = json!({"id": again["id"], "result": {"resultType": "input_required",
        "inputRequests": {"a": request}}});
    let effects = told.server(&next);
    let [Effect::Raise(a)] = &effects[..] else { panic!("{effects:?}") };
    let third = to_server(&told.accept(a.key, "y")[0]);
    assert_eq!(third["params"].get("requestState"), None);
    assert_eq!(third["params"]["inputResponses"]["a"]["content"]["env"], "y");
    let done = json!({"id": third["id"], "result": {"content": []}});
    assert_eq!(to_client(&told.server(&done)[0]), json!({"id": 1, "result": {"content": []}}));

    // A part that is not for people leaves the whole round to the client.
    told.call(&json!(2));
    let mixed = json!({"id": 2, "result": {"resultType": "input_required",
        "inputRequests": {"a": request, "b": {"method": "roots/list"}}}});
    assert_eq!(told.server(&mixed), [Effect::Forward]);
}

#[test]
fn a_call_that_is_cancelled_between_rounds_is_over() {
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    let request = json!({"method": "elicitation/create", "params": elicit(&json!(0))["params"]});
    let needs = json!({"id": 1, "result": {"resultType": "input_required", "inputRequests": {"a": request}}});
    let effects = told.server(&needs);
    let [Effect::Raise(a)] = &effects[..] else { panic!("{effects:?}") };
    let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(told.client(&cancel), [Effect::Withdraw(a.key, Withdrawn::CallCancelled)]);
    assert!(told.accept(a.key, "x").is_empty());
}

#[test]
fn a_task_is_told_at_once_and_its_result_when_it_is_there() {
    let mut told = Told::new(&json!({}), false);
    let mut ask = elicit(&json!(0));
    ask["params"]["task"] = json!({"ttl": 600_000});
    let effects = told.server(&ask);
    let [created, Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(raise.ttl, Some(600_000));
    let task = to_server(created)["result"]["task"].clone();
    assert_eq!((&task["status"], &task["ttl"]), (&json!("input_required"), &json!(600_000)));
    assert_eq!(task["createdAt"], "1970-01-01T00:00:01.000Z");
    let about = |id: u32, method: &str| json!({"id": id, "method": method, "params": {"taskId": task["taskId"]}});
    let looked = to_server(&told.server(&about(1, "tasks/get"))[0]);
    assert_eq!(looked["result"], task);
    assert_eq!(told.server(&about(2, "tasks/result")), [], "it waits");
    let effects = told.accept(raise.key, "prod");
    let result = to_server(&effects[0]);
    assert_eq!((&result["id"], &result["result"]["content"]["env"]), (&json!(2), &json!("prod")));
    let related = &result["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"];
    assert_eq!(*related, task["taskId"]);
    let again = to_server(&told.server(&about(3, "tasks/result"))[0]);
    assert_eq!(again["result"], result["result"]);
    let list = to_server(&told.server(&json!({"id": 4, "method": "tasks/list"}))[0]);
    assert_eq!(list["result"]["tasks"][0]["status"], "completed");
    let late = to_server(&told.server(&about(5, "tasks/cancel"))[0]);
    assert_eq!(late["error"]["code"], -32602);

    let effects = told.server(&ask);
    let [created, Effect::Raise(raise)] = &effects[..] else { panic!("{effects:?}") };
    let task = to_server(created)["result"]["task"]["taskId"].clone();
    let cancel = json!({"id": 6, "method": "tasks/cancel", "params": {"taskId": task}});
    let effects = told.server(&cancel);
    assert!(matches!(&effects[0], Effect::Withdraw(key, _) if *key == raise.key));
    assert_eq!(to_server(&effects[1])["result"]["status"], "cancelled");
}

#[test]
fn a_client_that_listens_hears_that_people_are_asked() {
    let mut told = Told::new(&json!({}), false);
    told.call(&json!(1));
    assert_eq!(told.proxy.progress(|_| "1 of 2".to_owned()), [], "nobody is asked");
    told.asks(&json!(0));
    let mut last = 0.0;
    for server in [None, Some(3), None] {
        if let Some(progress) = server {
            let params = json!({"progressToken": "t", "progress": progress});
            told.server(&json!({"method": "notifications/progress", "params": params}));
            last = f64::from(progress);
        }
        let said = to_client(&told.proxy.progress(|_| "1 of 2".to_owned())[0]);
        assert_eq!(said["params"]["message"], "1 of 2");
        let progress = said["params"]["progress"].as_f64().unwrap();
        assert!(progress > last && progress < last + 1e-3, "{progress} after {last}");
        last = progress;
    }
}

#[test]
fn at_the_end_nothing_is_wanted_any_more() {
    let mut told = Told::new(&json!({}), false);
    let raise = told.asks(&json!(0));
    assert_eq!(told.proxy.close(), [Effect::Withdraw(raise.key, Withdrawn::Closed)]);
    assert!(told.accept(raise.key, "x").is_empty());
}
