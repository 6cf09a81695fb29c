/** The control plane's own cookies: a browser that shares its host with an application would hand them over. */
const ours = /^[\s"=]*svc_/i;

/** The part of a `Cookie` header that an application may see; undefined if nothing is left. */
export function withoutOurCookies(header: string): string | undefined {
  if (!/svc_/i.test(header)) return header;
  const kept = header
    .split(';')
    .filter((pair) => !ours.test(pair))
    .join(';')
    .trim();
  return kept === '' ? undefined : kept;
}

/**
 * Whether an application tries to set one of them. A cookie without a name counts, too: browsers send `=svc_x=1` back as
 * `svc_x=1`.
 */
export function setsOurCookie(header: string): boolean {
  return ours.test(header);
}
