import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls';
import { pinned } from './pinned.ts';
import { type OutboundRules, trustOf } from './rules.ts';
import type { ResolvedAddress } from './target.ts';

const longest = 10_000;
const mostOfName = 100;

/** What an owner can do about an authority that is not trusted. */
const byInstallation = 'the owner of the installation can add that authority to the file of OUTBOUND_CA_FILE';

/**
 * Why the certificate of a host is refused, in words that name its authority; undefined where it is trusted or cannot be read.
 * It is asked for on a connection of its own, once the host was refused: nothing is sent on it, so nobody needs to be trusted.
 */
export async function certificateFault(
  { hostname, port }: URL,
  addresses: ResolvedAddress[],
  rules: OutboundRules,
): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    ...{ host, port: Number(port || 443), lookup: pinned(addresses), rejectUnauthorized: false, timeout: longest },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...trustOf(rules),
  });
  try {
    const refused = await new Promise<PeerCertificate | undefined>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.authorized ? undefined : socket.getPeerCertificate()));
      for (const event of ['error', 'timeout', 'close'] as const) socket.on(event, () => resolve(undefined));
    });
    return refused === undefined ? undefined : faultOf(host, refused, rules.trustedBy ?? byInstallation);
  } finally {
    socket.destroy();
  }
}

function faultOf(host: string, certificate: PeerCertificate, trustedBy: string): string | undefined {
  const [from, to] = [new Date(certificate.valid_from), new Date(certificate.valid_to)];
  const day = (date: Date) => date.toISOString().slice(0, 10);
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return undefined;
  const now = Date.now();
  if (to.getTime() < now) return `its certificate expired on ${day(to)}; renew it there`;
  if (from.getTime() > now) return `its certificate is valid from ${day(from)} on; check the clocks`;
  if (checkServerIdentity(host, certificate) !== undefined)
    return 'its certificate is for another name; use the name that the certificate has';
  return `its certificate is signed by ${authorityOf(certificate)}, which is not trusted; ${trustedBy}`;
}

/** A stranger chose this name. */
function authorityOf({ issuer }: PeerCertificate): string {
  const name = [issuer?.CN, issuer?.O].flat().find((one) => one !== undefined && one !== '');
  if (name === undefined) return 'an authority without a name';
  return `"${name.replace(/[\p{Cc}\p{Cf}"]/gu, '').slice(0, mostOfName)}"`;
}
