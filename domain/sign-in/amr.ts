/** How a person can prove who it is, in the words of RFC 8176: by what it knows, and by what it has or is. */
const known = new Set(['pwd', 'pin', 'kba']);
const heldOrInherent = new Set('otp sms tel hwk swk sc pop fpt face iris retina vbm'.split(' '));
const more = new Set(['mfa', 'mca']);

/** Whether a sign-in passed more than one factor, by what the provider says in `amr`. */
export function isMultiFactor(amr: readonly string[]): boolean {
  if (amr.some((one) => more.has(one))) return true;
  return amr.some((one) => known.has(one)) && amr.some((one) => heldOrInherent.has(one));
}
