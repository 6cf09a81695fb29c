import { certificateFault } from '../../../outbound/certificate.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { addressesOf, checkTarget, resolveByDns } from '../../../outbound/target.ts';
import { Refusal } from '../../program/refusal.ts';

/** As GnuTLS and OpenSSL say it, by way of git. */
const refused =
  /unable to access '(https:[^'\s]{1,2000})'.*(?:server (?:certificate )?verification failed|SSL certificate problem|certificate subject name|no alternative certificate|SSL: certificate)/;

/** The sentence for a certificate that git does not trust: GnuTLS tells nobody why, so the host is asked for it again. */
export async function untrustedHost(said: string, rules: OutboundRules): Promise<Refusal | undefined> {
  const [, address = ''] = refused.exec(said) ?? [];
  if (!URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  const why = (await faultAt(address, rules)) ?? 'its certificate, or that of a host that it leads to, is not trusted';
  return new Refusal(`Builds cannot read from ${host}: ${why}.`);
}

async function faultAt(address: string, rules: OutboundRules): Promise<string | undefined> {
  try {
    const url = checkTarget(address, rules);
    return await certificateFault(url, await addressesOf(url, rules, resolveByDns), rules);
  } catch {
    return undefined;
  }
}
