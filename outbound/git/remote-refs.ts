import { type PublicAnswer, within } from '../exchange.ts';
import { OutboundFailed, OutboundRefused } from '../failures.ts';
import { checkTarget } from '../target.ts';
import type { GitAddress } from './address.ts';
import { followed, type GitRules } from './ask.ts';

export interface GitCredential {
  username: string;
  password: string;
}

export interface RemoteRef {
  /** `refs/heads/main`. */
  name: string;
  /** Of a tag that has a message, the commit that it names. */
  commit: string;
}

export interface RemoteRefs {
  /** The branch that a clone checks out; undefined where the repository is empty or does not say. */
  head: string | undefined;
  refs: RemoteRef[];
}

type Bounds = GitRules & { timeoutMillis: number };

const maxBytes = 8 * 1024 * 1024;
const advertised = 'application/x-git-upload-pack-advertisement';

/**
 * Branches and tags of a repository whose full names begin with one of these, by git's protocol over HTTP. Throws `OutboundRefused`
 * or `OutboundFailed` with a sentence for people. Redirects are followed as far as the rules allow; the credential goes to
 * the host that it is for and to no other.
 */
export async function remoteRefs(
  { url, host }: GitAddress,
  credential: GitCredential | undefined,
  prefixes: readonly string[],
  bounds: Bounds,
): Promise<RemoteRefs> {
  const asking = new Asking(new URL(url), credential, bounds);
  return await within(new URL(url), bounds.timeoutMillis, async (signal) => {
    const found = await asking.advertisement(url, signal);
    const packets = parsePackets(found.answer.body, host).filter(
      (one) => typeof one === 'string' || !one.toString('latin1').startsWith('# service='),
    );
    const lines = packets.flatMap((one) => (typeof one === 'string' ? [] : [textOf(one)]));
    if (lines[0] !== 'version 2') return fromFirstVersion(packets, prefixes, host);
    const format = lines.find((line) => line.startsWith('object-format='));
    const answer = await asking.listRefs(found.base, prefixes, format, signal);
    return fromSecondVersion(parsePackets(answer.body, host), host);
  });
}

class Asking {
  readonly #host: string;
  readonly #origin: string;
  readonly #credential: GitCredential | undefined;
  readonly #bounds: Bounds;

  constructor({ host, origin }: URL, credential: GitCredential | undefined, bounds: Bounds) {
    this.#host = host;
    this.#origin = origin;
    this.#credential = credential;
    this.#bounds = bounds;
  }

  /** `base`: the address without what git asks for behind it, after redirects. */
  async advertisement(url: string, signal: AbortSignal): Promise<{ base: string; answer: PublicAnswer }> {
    const answer = await this.#ask(`${url}/info/refs?service=git-upload-pack`, {}, signal);
    const base = /^(.*)\/info\/refs\?service=git-upload-pack$/.exec(answer.url.href)?.[1];
    if (base === undefined || answer.headers['content-type'] !== advertised) {
      throw new OutboundFailed(`${this.#host} has no Git repository at this address.`);
    }
    return { base, answer };
  }

  async listRefs(
    base: string,
    prefixes: readonly string[],
    format: string | undefined,
    signal: AbortSignal,
  ): Promise<PublicAnswer> {
    const body = packetsOf(
      'command=ls-refs',
      'agent=ballast',
      ...(format === undefined ? [] : [format]),
      { is: 'delimiter' },
      ...['peel', 'symrefs', 'ref-prefix HEAD'],
      ...prefixes.map((prefix) => `ref-prefix ${prefix}`),
      { is: 'flush' },
    );
    const headers = {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    };
    return await this.#ask(`${base}/git-upload-pack`, { method: 'POST', headers, body }, signal);
  }

  async #ask(
    text: string,
    { headers = {}, ...sent }: { method?: 'POST'; headers?: Record<string, string>; body?: Buffer },
    signal: AbortSignal,
  ): Promise<PublicAnswer> {
    const url = checkTarget(text, this.#bounds);
    const question = { ...sent, headers: { ...headers, 'git-protocol': 'version=2' }, maxBytes };
    const secretHeaders = this.#authorization(url);
    const answer = await followed(url, { ...question, secretHeaders }, this.#bounds, signal);
    this.#check(answer);
    return answer;
  }

  /** A repository that was redirected elsewhere is listed there without the credential. */
  #authorization(url: URL): Record<string, string> {
    if (this.#credential === undefined || url.origin !== this.#origin) return {};
    const { username, password } = this.#credential;
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }

  /** Hosts say of a private repository that it is not there. */
  #check({ status }: PublicAnswer): void {
    if (status === 200) return;
    if (![401, 403, 404].includes(status)) {
      throw new OutboundFailed(`${this.#host} answered ${status} instead of 200; try again later.`);
    }
    throw new OutboundRefused(
      this.#credential === undefined
        ? 'The repository is not there, or it is private: check its address, or use a connection whose token may read it.'
        : 'The repository is not there, or the token of the connection may not read it: check its name, then the connection.',
    );
  }
}

/** A name that git itself would refuse, or one without a commit, is left out. */
const line = /^([0-9a-f]{40}|[0-9a-f]{64}) (HEAD|refs\/[^\s\p{Cc}]{1,1000})((?: [^\s\p{Cc}]+)*)$/u;

function fromSecondVersion(packets: readonly Packet[], host: string): RemoteRefs {
  let head: string | undefined;
  const refs: RemoteRef[] = [];
  for (const packet of packets) {
    if (typeof packet === 'string') continue;
    const text = textOf(packet);
    if (text.startsWith('ERR ')) throw refusedBy(host, text);
    const [, oid = '', name = '', more = ''] = line.exec(text) ?? [];
    const attributes = more.split(' ');
    const of = (key: string) => attributes.find((one) => one.startsWith(key))?.slice(key.length);
    if (name === 'HEAD') head = of('symref-target:');
    else if (name !== '') refs.push({ name, commit: of('peeled:') ?? oid });
  }
  return { head, refs };
}

/** The first version tells all refs, and on its first line, behind a NUL, what the server can do. */
function fromFirstVersion(packets: readonly Packet[], prefixes: readonly string[], host: string): RemoteRefs {
  let head: string | undefined;
  const commits = new Map<string, string>();
  for (const packet of packets) {
    if (typeof packet === 'string') continue;
    const [text = '', abilities = ''] = textOf(packet).split('\0');
    if (text.startsWith('ERR ')) throw refusedBy(host, text);
    head ??= /(?:^| )symref=HEAD:(refs\/heads\/[^\s\p{Cc}]+)/u.exec(abilities)?.[1];
    const [, oid = '', name = '', more = ''] = line.exec(text) ?? [];
    if (name === '' || more !== '' || name === 'HEAD' || name === 'capabilities^{}') continue;
    commits.set(name.replace(/\^\{\}$/, ''), oid);
  }
  const wanted = [...commits].filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)));
  return { head, refs: wanted.map(([name, commit]) => ({ name, commit })) };
}

function refusedBy(host: string, text: string): OutboundFailed {
  return new OutboundFailed(`${host} refused to list the repository: ${text.slice(4, 204).replace(/\p{Cc}/gu, ' ')}`);
}

function textOf(packet: Buffer): string {
  return packet.toString('utf8').replace(/\n$/, '');
}

/** Texts between the lines of git's protocol. */
type Separator = 'flush' | 'delimiter' | 'end';
type Packet = Buffer | Separator;

const separators: readonly Separator[] = ['flush', 'delimiter', 'end'];

/** Takes an answer apart: four hexadecimal digits say how long each line is, themselves included. */
function parsePackets(bytes: Buffer, host: string): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const digits = bytes.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
    const separator = separators[length];
    if (separator !== undefined) {
      packets.push(separator);
      at += 4;
      continue;
    }
    if (length < 4 || at + length > bytes.length) throw new OutboundFailed(`${host} does not speak git's protocol.`);
    packets.push(bytes.subarray(at + 4, at + length));
    at += length;
  }
  return packets;
}

/** A request: lines, and what stands between them. */
function packetsOf(...parts: readonly (string | { is: Separator })[]): Buffer {
  const text = parts.map((part) =>
    typeof part === 'string'
      ? `${(Buffer.byteLength(part) + 5).toString(16).padStart(4, '0')}${part}\n`
      : `000${separators.indexOf(part.is)}`,
  );
  return Buffer.from(text.join(''));
}
