//! Homes: who holds one, what it keeps, what it says when it can't be opened.

use std::net::UdpSocket;

use rejoinder::{Home, OpenError, environment::Directory};
use rejoinder_replica::{Batch, Load, Table};
use rejoinder_storage::Store;

use crate::support::{answer, directories, form, open, options, soon, submitted};

#[tokio::test]
async fn a_home_in_use_says_by_whom() {
    let [at] = directories();
    let _home = open("ana", at.path()).await;
    let error = options("ben").open(at.path()).await.unwrap_err();
    let expected =
        format!("home {} is in use by process {}", at.path().display(), std::process::id());
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_home_keeps_its_key_and_its_port_but_no_run() {
    let [at] = directories();
    let home = open("ana", at.path()).await;
    let (me, run) = (home.me(), home.incarnation());
    let addresses = home.addresses().await.unwrap();
    home.close().await;
    let again = open("ana", at.path()).await;
    assert_eq!(again.me(), me);
    assert_eq!(again.addresses().await.unwrap(), addresses);
    assert_ne!(again.incarnation(), run);
}

/// Releases before it had a table of its own for the port kept the port among the replica's rows.
#[tokio::test]
async fn a_home_from_before_the_shell_had_a_table_keeps_its_port() {
    let [at] = directories();
    let home = open("ana", at.path()).await;
    let addresses = home.addresses().await.unwrap();
    home.close().await;
    let (old, new) = (b"shell/port".to_vec(), b"port".to_vec());
    let rows = |table| Load { table, prefix: Vec::new() };
    let file = at.path().join("home.redb");
    {
        let (mut store, _) = Store::open_file(&file).unwrap();
        let port = addresses[0].port().to_le_bytes().to_vec();
        assert_eq!(store.load(&rows(Table::Shell)).unwrap().rows, [(new.clone(), port.clone())]);
        let mut as_before = Batch::default();
        as_before.delete(Table::Shell, new.clone());
        as_before.put(Table::Meta, old.clone(), port);
        store.commit(&[as_before]).unwrap();
    }
    let home = open("ana", at.path()).await;
    assert_eq!(home.addresses().await.unwrap(), addresses);
    home.close().await;
    let (store, _) = Store::open_file(&file).unwrap();
    assert_eq!(store.load(&rows(Table::Shell)).unwrap().rows.len(), 1);
    let meta = store.load(&rows(Table::Meta)).unwrap().rows;
    assert!(meta.iter().all(|(key, _)| *key != old), "it moved");
}

#[tokio::test]
async fn a_port_that_is_taken_is_replaced_unless_it_was_asked_for() {
    let [at] = directories();
    let home = open("ana", at.path()).await;
    let kept = home.addresses().await.unwrap()[0];
    home.close().await;
    let squatter = UdpSocket::bind(kept).unwrap();

    let home = open("ana", at.path()).await;
    assert_ne!(home.addresses().await.unwrap()[0], kept);
    home.close().await;

    let error = options("ana").listen(kept).open(at.path()).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot listen on {kept}: ")), "{error}");
    drop(squatter);
    let home = options("ana").listen(kept).open(at.path()).await.unwrap();
    assert_eq!(home.addresses().await.unwrap(), [kept]);
}

/// As root too: nobody makes a directory there.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_place_where_nothing_may_be_made_is_named() {
    let error = Home::open("/sys/kernel/rejoinder").await.unwrap_err();
    assert!(matches!(error, OpenError::Denied { .. }), "{error:?}");
    let expected = "cannot make /sys/kernel/rejoinder: permission denied; check who owns it and \
                    its directory";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_store_that_is_none_is_named_and_left_alone() {
    let [at] = directories();
    let file = at.path().join("home.redb");
    std::fs::write(&file, b"somebody's diary").unwrap();
    let error = options("ana").open_at(Directory::new(at.path())).await.unwrap_err();
    assert!(matches!(error, OpenError::Store(_)), "{error:?}");
    assert!(error.to_string().contains("home.redb"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"somebody's diary");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_that_is_dropped_loses_nothing_that_was_saved() {
    let [at] = directories();
    let home = open("ana", at.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let asked = host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    asked.request().submit("env", "prod").await.unwrap();
    drop(home);

    let home = open("ana", at.path()).await;
    let host = home.host(host.workspace().id()).await.unwrap();
    let asked = host.asked("r1").await.unwrap().expect("it is open still");
    let view = crate::support::until_answer(asked.request(), "env", submitted("prod")).await;
    assert_eq!(answer(&view, "notes"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_handle_says_that_the_home_was_closed() {
    let [at] = directories();
    let home = open("ana", at.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let mut events = home.events().unwrap();
    drop(home);
    soon("the end of the events", async { while events.next().await.is_some() {} }).await;
    assert_eq!(host.start_turn("late").await.unwrap_err().code(), "closed");
    assert!(host.workspace().view().await.is_err());
}
