// Filled by the passkey pages.
