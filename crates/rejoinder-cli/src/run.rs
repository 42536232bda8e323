//! The way from the command line to the exit code.

use std::{ffi::OsString, process::ExitCode};

use crate::{
    args::{Arguments, Command, Common},
    ask,
    console::Console,
    demo,
    event::Event,
    failure::Failure,
    home, join, log,
    outcome::Exit,
    show, withdraw,
};

/// Runs the command that these arguments spell, the program's name first.
pub fn run(line: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::read(line) {
        Ok(arguments) => arguments,
        Err(stop) => return stop.print().into(),
    };
    log::start(arguments.common.verbose);
    let console = Console::new(arguments.common.json);
    let ended = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let ended = runtime.block_on(obey(&arguments, &console));
            // A thread that still reads stdin or the terminal would delay the exit.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(Failure::new("runtime", format!("cannot start: {error}"))),
    };
    // A reader of the output must not mistake a part of it for the whole.
    let exit = ended.and_then(|exit| console.whole().map(|()| exit)).unwrap_or_else(|failure| {
        console.failed(&failure);
        failure.exit
    });
    exit.into()
}

async fn obey(arguments: &Arguments, console: &Console) -> Result<Exit, Failure> {
    let Arguments { command, common } = arguments;
    match command {
        Command::Show => show::run(common, console).await,
        Command::Id => id(common, console),
        Command::Demo => demo::run(console).await,
        Command::Ask(ask) => ask::run(ask, common, console).await,
        Command::Join(join) => join::run(join, common, console).await,
        Command::Withdraw(withdraw) => withdraw::run(withdraw, common, console).await,
    }
}

fn id(common: &Common, console: &Console) -> Result<Exit, Failure> {
    let peer = home::device(common)?.to_string();
    console.answer(&[Event::Id { peer: peer.clone() }], &[peer]);
    Ok(Exit::Done)
}
