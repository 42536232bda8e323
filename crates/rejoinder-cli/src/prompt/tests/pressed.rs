//! Random input to the form.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Operation {
    Key(KeyCode, KeyModifiers),
    Paste(String),
    Size(u16, u16),
    View(String, bool),
    Tick(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    let codes = vec![
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Esc,
        KeyCode::Enter,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::PageUp,
        KeyCode::PageDown,
    ];
    let code = prop_oneof![
        3 => prop::sample::select(codes),
        2 => any::<char>().prop_map(KeyCode::Char),
        1 => prop::sample::select(vec!['a', 'd', 'c', ' ', '1', 's', 'x', 't', 'j']).prop_map(KeyCode::Char),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
    ]);
    prop_oneof![
        8 => (code, modifiers).prop_map(|(code, modifiers)| Operation::Key(code, modifiers)),
        1 => ".{0,9}".prop_map(Operation::Paste),
        1 => (0u16..100, 0u16..40).prop_map(|(columns, rows)| Operation::Size(columns, rows)),
        2 => (".{0,9}", any::<bool>()).prop_map(|(text, open)| Operation::View(text, open)),
        1 => (0u64..700).prop_map(Operation::Tick),
    ]
}

proptest! {
    #[test]
    fn whatever_is_pressed_it_fits_and_shows_no_controls(
        operations in prop::collection::vec(operation(), 0..60)
    ) {
        let mut driver = Driver::new();
        for operation in operations {
            match operation {
                Operation::Key(code, modifiers) => driver.input(Input::Key(KeyEvent::new(code, modifiers))),
                Operation::Paste(text) => driver.input(Input::Paste(text)),
                Operation::Size(columns, rows) => driver.input(Input::Size { columns, rows }),
                Operation::View(text, open) => {
                    let mut view = samples::request();
                    view.projection.answers.insert("notes".into(), samples::text("draft", &text, "ben"));
                    if !open {
                        view.status = RequestStatus::Ended(rejoinder::TurnEnd::Failed);
                    }
                    driver.show(view);
                }
                Operation::Tick(milliseconds) => driver.pause(milliseconds),
            }
            let frame = driver.prompt.frame();
            prop_assert!(frame.rows.len() < driver.prompt.rows.max(2));
            for row in &frame.rows {
                prop_assert!(crate::plain::width(&row.text) <= driver.prompt.columns.max(limits::COLUMNS_MIN), "{:?}", row);
                prop_assert!(!row.text.chars().any(char::is_control), "{:?}", row);
            }
        }
    }
}
