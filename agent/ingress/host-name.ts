const name = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const literal = /^\[[0-9a-f:.]{2,45}\]$/;
const port = /:\d{1,5}$/;

/** The host that a request is for, as routes spell it; undefined if it is none. */
export function hostName(authority: string): string | undefined {
  const host = authority.replace(port, '').replace(/\.$/, '').toLowerCase();
  if (host.length > 253) return undefined;
  return name.test(host) || literal.test(host) ? host : undefined;
}

/** The host that is asked for, or the sentence that refuses the request. */
export function hostOf(hosts: readonly string[]): { host: string; authority: string } | { refusal: string } {
  const [authority] = hosts;
  if (authority === undefined) return { refusal: 'The request names no host.' };
  if (hosts.some((other) => other.toLowerCase() !== authority.toLowerCase())) {
    return { refusal: 'The request names more than one host.' };
  }
  const host = hostName(authority);
  return host === undefined ? { refusal: 'The host of the request is not a valid host name.' } : { host, authority };
}
