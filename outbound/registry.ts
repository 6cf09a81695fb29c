import { createHash } from 'node:crypto';
import { OutboundFailed } from './failures.ts';
import { askPublic, type FetchOptions, type PublicAnswer } from './request.ts';

/** An image at an outside registry. */
export interface OutsideImage {
  host: string;
  repository: string;
  /** A tag or a digest. */
  reference: string;
  credential?: Credential | undefined;
}

interface Credential {
  username: string;
  password: string;
}

export type Limits = Pick<FetchOptions, 'allowedRanges' | 'certificateAuthorities' | 'resolve' | 'timeoutMillis'>;

export const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const mostBytes = 4_194_304;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** The digest that a tag or a digest means at an outside registry now. Throws `OutboundRefused` or `OutboundFailed`. */
export async function resolveOutside(image: OutsideImage, limits: Limits): Promise<string> {
  const asked = { ...limits, maxBytes: mostBytes, accept: manifestTypes };
  const signIn: SignIn = {};
  const answer = await askRegistry(image, `manifests/${image.reference}`, { ...asked, method: 'HEAD' }, signIn);
  if (answer.status !== 200) throw new OutboundFailed(failure(image, answer.status));
  const told = answer.headers['docker-content-digest'];
  if (typeof told === 'string' && digestPattern.test(told)) return confirmed(image, told);
  // Not all registries tell it: then it is counted from the manifest itself.
  const { status, body } = await askRegistry(image, `manifests/${image.reference}`, asked, signIn);
  if (status !== 200) throw new OutboundFailed(failure(image, status));
  return confirmed(image, `sha256:${createHash('sha256').update(body).digest('hex')}`);
}

/** Signs in at a registry, and throws `OutboundRefused` or `OutboundFailed` where it does not accept that. */
export async function checkSignIn(host: string, credential: Credential, limits: Limits): Promise<void> {
  const address = `${baseOf(host, limits.allowedRanges)}/v2/`;
  const ask = (authorization: string | undefined) => askPublic(address, { ...limits, maxBytes: 65_536, authorization });
  let answer = await ask(basicOf(credential));
  if (answer.status === 401 && /^bearer\b/i.test(answer.headers['www-authenticate'] ?? '')) {
    answer = await ask(await authorizationFor(answer, { host, credential }, limits));
  }
  const { status } = answer;
  if (status === 200) return;
  const refused = status === 401 || status === 403;
  throw new OutboundFailed(
    refused ? `${host} does not accept the sign-in (${status}).` : `${host} answered ${status}.`,
  );
}

function basicOf({ username, password }: Credential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The sign-in that the questions about one image share. */
export interface SignIn {
  authorization?: string | undefined;
}

/** Asks for something of an image's repository, and signs in where the registry demands it. */
export async function askRegistry(
  image: OutsideImage,
  what: string,
  options: FetchOptions,
  signIn: SignIn,
): Promise<PublicAnswer> {
  const address = `${baseOf(image.host, options.allowedRanges)}/v2/${image.repository}/${what}`;
  const answer = await askPublic(address, { ...options, authorization: signIn.authorization });
  if (answer.status !== 401 || signIn.authorization !== undefined) return answer;
  const { allowedRanges, certificateAuthorities, timeoutMillis, resolve } = options;
  const limits = {
    allowedRanges,
    certificateAuthorities,
    timeoutMillis,
    ...(resolve === undefined ? {} : { resolve }),
  };
  signIn.authorization = await authorizationFor(answer, image, limits);
  return await askPublic(address, { ...options, authorization: signIn.authorization });
}

function confirmed({ host, reference }: OutsideImage, digest: string): string {
  if (reference.startsWith('sha256:') && reference !== digest) {
    throw new OutboundFailed(`${host} answered another manifest than the one that was asked for.`);
  }
  return digest;
}

/** Registries on this machine and in private networks that are allowed speak plain http unless they have port 443. */
function baseOf(host: string, allowedRanges: readonly string[]): string {
  if (host === 'docker.io') return 'https://registry-1.docker.io';
  const name = host.replace(/:\d+$/, '');
  const local = name === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(name) || name === '[::1]';
  return local && allowedRanges.length > 0 && !host.endsWith(':443') ? `http://${host}` : `https://${host}`;
}

/** Basic, or a token of the service that the registry names; that service is an address that a stranger gave, too. */
async function authorizationFor(
  { headers }: PublicAnswer,
  { host, repository, credential }: Pick<OutsideImage, 'host' | 'credential'> & { repository?: string },
  limits: Limits,
): Promise<string | undefined> {
  const challenge = headers['www-authenticate'] ?? '';
  const basic = credential && basicOf(credential);
  if (/^basic\b/i.test(challenge)) {
    if (basic === undefined) throw new OutboundFailed(`${host} wants a sign-in; add a registry credential for it.`);
    return basic;
  }
  const parameters = new Map([...challenge.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, name, value]) => [name, value]));
  const realm = parameters.get('realm');
  if (!/^bearer\b/i.test(challenge) || realm === undefined || !URL.canParse(realm)) {
    throw new OutboundFailed(`${host} wants a sign-in of a kind that is not known here.`);
  }
  const address = new URL(realm);
  const service = parameters.get('service');
  if (service !== undefined) address.searchParams.set('service', service);
  const scope = parameters.get('scope') ?? (repository === undefined ? undefined : `repository:${repository}:pull`);
  if (scope !== undefined) address.searchParams.set('scope', scope);
  const options = { ...limits, maxBytes: 65_536, accept: 'application/json', authorization: basic };
  const { status, body } = await askPublic(address.href, options);
  if (status !== 200) throw new OutboundFailed(`${address.host} refused the sign-in for ${host} (${status}).`);
  return `Bearer ${tokenOf(body, address.host)}`;
}

function tokenOf(body: Buffer, host: string): string {
  try {
    const { token, access_token: accessToken } = JSON.parse(body.toString('utf8'));
    const found = token ?? accessToken;
    if (typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found;
  } catch {
    // The same as an answer without a token.
  }
  throw new OutboundFailed(`${host} answered no token.`);
}

function failure({ host, repository, reference, credential }: OutsideImage, status: number): string {
  if (status === 404) return `${host} has no ${repository} with ${reference}`;
  if (status === 401 || status === 403) {
    const how = credential === undefined ? 'without a registry credential' : 'with this registry credential';
    return `${host} does not let ${repository} be read ${how}`;
  }
  if (status >= 300 && status < 400) return `${host} answered with a redirect, which is not followed`;
  return `${host} answered ${status}`;
}
