//! Signatures that must be checked to be read.
//!
//! A [`Signed`] does not show its content; [`Signed::verify`] makes a [`Verified`] of it, which
//! does. Nothing else makes one, except [`Verified::sign`]. Forgetting to check does not compile.
//! The bytes are kept and forwarded as they came, never encoded again.

use std::{fmt, marker::PhantomData, sync::Arc};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    encoding::{DecodeError, from_bytes, to_bytes},
    hash::{Hash, hash},
    id::PeerId,
    key::SecretKey,
};

/// The kinds of things that are signed. The number is on the wire; the name goes into the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// The root key lets a device write an epoch of the log.
    EpochCertificate = 1,
    /// A record of a log, by the epoch's host.
    Record = 2,
    /// A change of a document, by its author.
    Envelope = 3,
    /// A member's proposal.
    Proposal = 4,
    /// A device asks to join: signed by the device.
    Join = 5,
    /// The holder of an invite vouches for a device that joins: signed by the invite key.
    Invitation = 6,
    /// A device's addresses.
    AddressCard = 7,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::EpochCertificate => "epoch-certificate",
            Self::Record => "record",
            Self::Envelope => "envelope",
            Self::Proposal => "proposal",
            Self::Join => "join",
            Self::Invitation => "invitation",
            Self::AddressCard => "address-card",
        }
    }
}

/// A value that is signed.
pub trait Signable: Serialize + DeserializeOwned {
    /// Its kind: no two types share one.
    const KIND: Kind;
    /// The version of its encoding.
    const VERSION: u8 = 1;
}

/// The signature does not match, or is not for this kind of thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    /// The signer did not sign these bytes.
    #[error("not signed by {signer}")]
    Forged {
        /// The claimed signer.
        signer: PeerId,
    },
    /// The signature is right, but its holder signed something unreadable.
    #[error(transparent)]
    Unreadable(DecodeError),
}

#[derive(Serialize, Deserialize)]
struct Wire {
    kind: u8,
    version: u8,
    body: Vec<u8>,
    signer: PeerId,
    signature: [[u8; 32]; 2],
}

/// Something signed whose signature nobody has checked yet.
pub struct Signed<T> {
    wire: Wire,
    bytes: Arc<[u8]>,
    content: PhantomData<fn() -> T>,
}

impl<T: Signable> Signed<T> {
    /// Takes the frame apart. The content stays hidden.
    ///
    /// # Errors
    ///
    /// The frame is broken, or is of another kind or of a version that this release can't read.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (wire, rest): (Wire, _) = postcard::take_from_bytes(bytes)
            .map_err(|error| DecodeError::new(T::KIND.name(), error))?;
        if !rest.is_empty() {
            return Err(DecodeError::new(T::KIND.name(), "bytes after the signature"));
        }
        if wire.kind != T::KIND as u8 {
            return Err(DecodeError::new(T::KIND.name(), format!("kind {}", wire.kind)));
        }
        if wire.version != T::VERSION {
            return Err(DecodeError::new(T::KIND.name(), format!("version {}", wire.version)));
        }
        Ok(Self { wire, bytes: bytes.into(), content: PhantomData })
    }

    /// The claimed signer.
    pub fn signer(&self) -> PeerId {
        self.wire.signer
    }

    /// Checks the signature and reads the content.
    ///
    /// # Errors
    ///
    /// [`BadSignature`] says which of the two failed.
    pub fn verify(self) -> Result<Verified<T>, BadSignature> {
        let Wire { version, body, signer, signature, .. } = self.wire;
        if !signer.signed(&signed_hash(T::KIND, version, &body), &whole(signature)) {
            return Err(BadSignature::Forged { signer });
        }
        let value = from_bytes(T::KIND.name(), &body).map_err(BadSignature::Unreadable)?;
        Ok(Verified { value, id: hash(T::KIND.name(), &[&body]), signer, bytes: self.bytes })
    }
}

impl<T> fmt::Debug for Signed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signed(kind {}, said to be by {})", self.wire.kind, self.wire.signer)
    }
}

/// Something whose signature is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified<T> {
    value: T,
    id: Hash,
    signer: PeerId,
    bytes: Arc<[u8]>,
}

impl<T: Signable> Verified<T> {
    /// Signs a value.
    pub fn sign(key: &SecretKey, value: T) -> Self {
        let body = to_bytes(&value);
        let signature = key.sign(&signed_hash(T::KIND, T::VERSION, &body));
        let id = hash(T::KIND.name(), &[&body]);
        let signer = key.public();
        let wire = Wire {
            kind: T::KIND as u8,
            version: T::VERSION,
            body,
            signer,
            signature: halves(signature),
        };
        Self { value, id, signer, bytes: to_bytes(&wire).into() }
    }

    /// Decodes and verifies in one go.
    ///
    /// # Errors
    ///
    /// As [`Signed::decode`] and [`Signed::verify`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadSignature> {
        Signed::decode(bytes).map_err(BadSignature::Unreadable)?.verify()
    }
}

impl<T> Verified<T> {
    /// The signed value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// H(kind, body).
    pub fn id(&self) -> Hash {
        self.id
    }

    /// The signer.
    pub fn signer(&self) -> PeerId {
        self.signer
    }

    /// All of it as it came: what is stored and forwarded.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

// Serde has arrays of up to 32 elements.
fn halves(signature: [u8; 64]) -> [[u8; 32]; 2] {
    let (first, second) = signature.split_at(32);
    [first, second].map(|half| half.try_into().expect("half of 64 bytes"))
}

fn whole([first, second]: [[u8; 32]; 2]) -> [u8; 64] {
    let mut whole = [0; 64];
    whole[..32].copy_from_slice(&first);
    whole[32..].copy_from_slice(&second);
    whole
}

/// The hash that is signed. It covers the version: a frame that was signed as one version can't be
/// read as another.
fn signed_hash(kind: Kind, version: u8, body: &[u8]) -> Hash {
    hash(&format!("sign/{}", kind.name()), &[&[version], body])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    struct Note(String);

    impl Signable for Note {
        const KIND: Kind = Kind::Proposal;
    }

    #[derive(Debug, Serialize, Deserialize)]
    struct Other(String);

    impl Signable for Other {
        const KIND: Kind = Kind::Envelope;
    }

    fn key() -> SecretKey {
        SecretKey::from_seed([7; 32])
    }

    #[test]
    fn round_trip() {
        let signed = Verified::sign(&key(), Note("hi".into()));
        let again = Verified::<Note>::from_bytes(signed.bytes()).unwrap();
        assert_eq!(signed, again);
        assert_eq!(again.signer(), key().public());
    }

    #[test]
    fn golden() {
        let signed = Verified::sign(&key(), Note("hi".into()));
        let hex: String = signed.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "040103026869ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c60f9bd5583\
             6691919e63747c2960deed82441e47e76ba997e1f4d2c5ffa2117b47b939233b76c057ec0251cc3a85a5e7\
             5252fda3d042ed1794c7ab5309d0ea04"
        );
        assert_eq!(signed.id().to_string(), "v2tkbyeuyrpab3qsefmoabc4ucebqkk6wu45fwjmbz3jnyjjdbdq");
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let signed = Verified::sign(&key(), Note("hi".into()));
        for place in 0..signed.bytes().len() * 8 {
            let mut bytes = signed.bytes().to_vec();
            bytes[place / 8] ^= 1 << (place % 8);
            assert!(Verified::<Note>::from_bytes(&bytes).is_err(), "bit {place}");
        }
        for length in 0..signed.bytes().len() {
            assert!(Verified::<Note>::from_bytes(&signed.bytes()[..length]).is_err());
        }
    }

    #[test]
    fn one_kind_is_never_read_as_another() {
        let signed = Verified::sign(&key(), Note("hi".into()));
        assert!(Verified::<Other>::from_bytes(signed.bytes()).is_err());
        // Nor when somebody relabels it.
        let mut bytes = signed.bytes().to_vec();
        bytes[0] = Kind::Envelope as u8;
        let forged = Verified::<Other>::from_bytes(&bytes).unwrap_err();
        assert_eq!(forged, BadSignature::Forged { signer: key().public() });
    }

    #[test]
    fn a_later_release_may_add_fields_at_the_end() {
        #[derive(Debug, Serialize, Deserialize)]
        struct Longer(String, u32);
        impl Signable for Longer {
            const KIND: Kind = Kind::Proposal;
        }
        let longer = Verified::sign(&key(), Longer("hi".into(), 9));
        let note = Verified::<Note>::from_bytes(longer.bytes()).unwrap();
        assert_eq!(note.value(), &Note("hi".into()));
        assert_eq!(note.id(), longer.id());
    }
}
