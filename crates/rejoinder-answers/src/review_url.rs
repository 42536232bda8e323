//! The URL of a request, which people are asked to open. It is shown exactly as it is opened, so a
//! URL that a browser would read differently than a person is refused.
//!
//! People judge the address: a host on a private network is allowed.

use url::Url;

/// Letters by their class, and blank on every screen.
const FILLERS: &[char] = &['\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{3164}', '\u{ffa0}'];

/// A URL that may be put before people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewUrl {
    text: String,
    host: String,
}

/// Why a URL may not be put before people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    /// It can't be read as a URL; the text says why.
    #[error("not a URL: {0}")]
    NotAUrl(String),
    /// Its scheme is neither `http` nor `https`: something else than a browser may take it.
    #[error("its scheme is not http or https")]
    Scheme,
    /// A character that is not seen, or that a browser would replace.
    #[error("the character U+{:04X} must be written with %", u32::from(*.0))]
    Character(char),
    /// A user name or a password stands before the host, where it looks like a host.
    #[error("it has a user name or a password before the host")]
    Credentials,
    /// No host, or one written so that it could be taken for a path.
    #[error("it has no host")]
    NoHost,
}

impl ReviewUrl {
    /// Reads it, and keeps it as it is written.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn read(text: &str) -> Result<Self, UrlProblem> {
        let (scheme, rest) =
            text.split_once(':').ok_or_else(|| UrlProblem::NotAUrl("it has no scheme".into()))?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(UrlProblem::Scheme);
        }
        // Browsers take `https:/host`, `https:\\host` and `https:////host` for `https://host`.
        let rest = rest.strip_prefix("//").ok_or(UrlProblem::NoHost)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        // Letters of any alphabet make names of hosts; everywhere else they are written with %.
        let in_host = |c: char| {
            c.is_ascii_graphic() || (c.is_alphanumeric() && !c.is_ascii() && !FILLERS.contains(&c))
        };
        let odd = authority.chars().find(|c| *c == '\\' || !in_host(*c));
        let odd = odd.or_else(|| path.chars().find(|c| *c == '\\' || !c.is_ascii_graphic()));
        if let Some(odd) = odd {
            return Err(UrlProblem::Character(odd));
        }
        if authority.contains('@') {
            return Err(UrlProblem::Credentials);
        }
        if authority.is_empty() {
            return Err(UrlProblem::NoHost);
        }
        let read = Url::parse(text).map_err(|error| UrlProblem::NotAUrl(error.to_string()))?;
        let host = read.host_str().filter(|host| !host.is_empty()).ok_or(UrlProblem::NoHost)?;
        Ok(Self { text: text.to_owned(), host: host.to_owned() })
    }

    /// The URL as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, in its ASCII form: `xn--80ak6aa92e.com`, `127.0.0.1`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the host stands in the URL in its ASCII form. If not, it is to be shown beside it.
    pub fn shows_its_host(&self) -> bool {
        let authority = self.text.split(['/', '?', '#']).nth(2).unwrap_or_default();
        let port = authority.rfind(':').filter(|at| !authority[*at..].contains(']'));
        authority[..port.unwrap_or(authority.len())].eq_ignore_ascii_case(&self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_put_before_people() {
        let check = |text: &str, host: &str, shown: bool| {
            let url = ReviewUrl::read(text).unwrap_or_else(|why| panic!("{text:?}: {why}"));
            assert_eq!((url.as_str(), url.host(), url.shows_its_host()), (text, host, shown));
        };
        check("https://example.org", "example.org", true);
        check("HTTPS://Example.org:8443/a?b=%20#c@d", "example.org", true);
        check("https://example.org?next=https://x/@y", "example.org", true);
        check("http://[::1]:8080/", "[::1]", true);
        check("http://169.254.169.254/", "169.254.169.254", true);
        // What a browser reads differently is shown as it reads it.
        check("https://аррӏе.com/", "xn--80ak6aa92e.com", false);
        check("http://2130706433/", "127.0.0.1", false);
        check("http://%65xample.org/", "example.org", false);
    }

    #[test]
    fn what_may_not() {
        let check = |text: &str, why: &str| {
            let problem = ReviewUrl::read(text).expect_err(text);
            assert_eq!(problem.to_string(), why, "{text:?}");
        };
        for text in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://x/"] {
            check(text, "its scheme is not http or https");
        }
        for text in ["", "not a url", "//example.org"] {
            check(text, "not a URL: it has no scheme");
        }
        for text in ["https:", "https:example.org", "https:/example.org", "https:///example.org"] {
            check(text, "it has no host");
        }
        for text in ["https://github.com@evil.example/", "https://u:p@ok.example/", "https://@x/"] {
            check(text, "it has a user name or a password before the host");
        }
        let characters = "\0 \t\n\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{200d}\u{200e}\u{202e}\u{2066}\
                          \u{2028}\u{2044}\u{3000}\u{feff}\u{fff9}\u{e0041}\\é";
        for odd in characters.chars() {
            let why = format!("the character U+{:04X} must be written with %", u32::from(odd));
            check(&format!("https://ok.example/{odd}gnp.exe"), &why);
            if odd != 'é' {
                check(&format!("https://ok{odd}.example/"), &why);
            }
        }
        // Letters that nobody sees are none in a host's name.
        for filler in "\u{115f}\u{1160}\u{3164}\u{ffa0}\u{17b4}".chars() {
            assert!(
                ReviewUrl::read(&format!("https://o{filler}k.example/")).is_err(),
                "{filler:?}"
            );
        }
        assert!(ReviewUrl::read("https://a b.example/").is_err());
        assert!(ReviewUrl::read("https://exa|mple.org/").is_err());
    }
}
