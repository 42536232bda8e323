//! Bytes that must never change: homes hold them, and other releases make them.

use std::collections::BTreeMap;

use rejoinder_answers::Document;
use serde_json::json;

use crate::desk::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn small() -> rejoinder_answers::Form {
    form(json!({ "id": "r", "questions": [
        { "kind": "text", "id": "notes", "message": "" },
        { "kind": "multi-select", "id": "checks", "message": "",
          "options": [{ "id": "b", "label": "" }, { "id": "a", "label": "" }] },
    ]}))
}

#[test]
fn a_skeleton() {
    let answers = BTreeMap::from([(
        id("notes"),
        answer(json!({ "state": "draft", "value": { "kind": "text", "value": "hi" } })),
    )]);
    let skeleton = Document::new(DOCUMENT).skeleton(&small(), &answers).unwrap();
    assert_eq!(
        hex(&skeleton),
        concat!(
            "856f4a832e5ae1060184020010b2186674765e3be2ceb3ba49a46c5d4301010000000a010402121106130715",
            "5f34034211560e573270020001100000017f010202020403027f01040a020e7f0a00057f00000b00047e0005",
            "000b7c07616e7377657273056e6f746573046d61726b04746578740002750576616c7565076f7074696f6e73",
            "0866726565666f726d06636865636b73046d61726b04746578740576616c7565076f7074696f6e7301620161",
            "0866726565666f726d04020b02007e010403017900010001040100030102007e8606000216080002017f007b",
            "226b696e64223a2274657874222c226e223a2262323138363637342d31222c227374617465223a2264726166",
            "74227d68691100",
        )
    );
}

#[test]
fn the_skeleton_of_a_second_revision_is_made_of_the_first_alone() {
    let [mut ana] = peers(&small());
    let untouched = ana.document.skeleton(&form(every_kind()), &BTreeMap::new()).unwrap();
    ana.edit(draft("notes", text("words"))).edit(toggle("checks", "a", true));
    let touched = ana.document.skeleton(&form(every_kind()), &BTreeMap::new()).unwrap();
    assert_eq!(hex(&untouched), hex(&touched));
}

#[test]
fn an_edit() {
    let [mut ana] = peers(&small());
    let written = ana.try_edit(&draft("notes", text("aé"))).unwrap();
    assert_eq!(written.len(), 1);
    assert_eq!(
        hex(&written[0].change),
        concat!(
            "856f4a8386e6c8c601c301018572400c4813f8a99b1a36e710488852beda9ab259c2ea810524930b7992c1de",
            "1004116849bff4ed0ac7de43024ca3908c0110809cb8d806000110b2186674765e3be2ceb3ba49a46c5d430c",
            "010202041106130515083403420256055733700471027302030102047f0200017f0000017e0010000100027f",
            "046d61726b00020103017d1626860661c3a97b226b696e64223a2274657874222c226e223a22303431313638",
            "34392d31222c227374617465223a226472616674227d02007f017f017f03",
        )
    );
}

#[test]
fn a_projection() {
    let [mut ana, mut ben] = peers(&form(every_kind()));
    ana.edit(submit("retries", number(7.0))).edit(draft("notes", text("a\"b")));
    ben.edit(submit("retries", number(8.0))).edit(toggle("checks", "docs", true));
    exchange(&mut [&mut ana, &mut ben]);
    let (ana_id, ben_id) = (ana.device.to_string(), ben.device.to_string());
    let spelled = format!(
        concat!(
            r#"{{"answers":{{"checks":{{"answer":{{"state":"draft","value":{{"kind":"selected-many","value":["docs"]}}}},"authors":["{ben_id}"]}},"#,
            r#""notes":{{"answer":{{"state":"draft","value":{{"kind":"text","value":"a\"b"}}}},"authors":["{ana_id}"]}},"#,
            r#""retries":{{"answer":{{"state":"submitted","value":{{"kind":"number","value":8}}}},"authors":["{ben_id}"]}}}},"#,
            r#""conflicts":{{"retries":[{{"answer":{{"state":"submitted","value":{{"kind":"number","value":7}}}},"authors":["{ana_id}"]}}]}},"#,
            r#""problems":[]}}"#,
        ),
        ana_id = ana_id,
        ben_id = ben_id
    );
    assert_eq!(ana.projection().to_string(), spelled);
}
