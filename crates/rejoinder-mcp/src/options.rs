//! The options of a select, out of the five ways in which MCP servers write an enum.

use ahp_types::state::ChatInputOption;

use crate::{
    error::Unanswerable,
    json::{Json, Object},
    words,
};

/// The options that `schema` lists, or `None` if it lists none and so is no choice at all.
pub(crate) fn options(schema: &Object) -> Result<Option<Vec<ChatInputOption>>, Unanswerable> {
    let listed = if let Some(values) = schema.array("enum") {
        untitled(values, schema.array("enumNames").unwrap_or_default())?
    } else if let Some(entries) = schema.array("oneOf").or_else(|| schema.array("anyOf")) {
        entries.iter().map(titled).collect::<Result<_, _>>()?
    } else if let Some(only) = schema.get("const") {
        untitled(std::slice::from_ref(only), &[])?
    } else {
        return Ok(None);
    };
    let mut options: Vec<ChatInputOption> = Vec::new();
    for option in listed {
        // The first of equals: an answer names an option by its value alone.
        if !options.iter().any(|known| known.id == option.id) {
            options.push(option);
        }
    }
    if options.is_empty() { Err(Unanswerable::NoOptions) } else { Ok(Some(options)) }
}

fn untitled(values: &[Json], names: &[Json]) -> Result<Vec<ChatInputOption>, Unanswerable> {
    values
        .iter()
        .enumerate()
        .map(|(place, value)| {
            let id = value.as_str().ok_or(Unanswerable::NotStrings)?;
            let name = names.get(place).and_then(Json::as_str);
            Ok(option(id, name, None))
        })
        .collect()
}

fn titled(entry: &Json) -> Result<ChatInputOption, Unanswerable> {
    let entry = entry.as_object().ok_or(Unanswerable::NotStrings)?;
    words::check_option(entry)?;
    let id = entry.text("const").ok_or(Unanswerable::NotStrings)?;
    Ok(option(id, entry.text("title"), entry.text("description")))
}

fn option(id: &str, label: Option<&str>, description: Option<&str>) -> ChatInputOption {
    ChatInputOption {
        id: id.to_owned(),
        label: label.filter(|label| !label.is_empty()).unwrap_or(id).to_owned(),
        description: description.map(str::to_owned),
        recommended: None,
    }
}
