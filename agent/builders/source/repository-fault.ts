import { certificateFault } from '../../../outbound/certificate.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { addressesOf, checkTarget, resolveByDns } from '../../../outbound/target.ts';
import { Refusal } from '../../program/refusal.ts';
import type { SandboxEnd } from '../sandbox/sandbox.ts';
import type { CommitToFetch } from './fetch-source.ts';
import type { SourceLimits } from './unpack-source.ts';

/** By the codes with which our own scripts end. */
const ended: Readonly<Record<number, (source: CommitToFetch, limits: SourceLimits) => string>> = {
  90: ({ commit, ref }) =>
    `The commit ${commit} is not in ${ref} of the repository any more: it was probably replaced by a forced push; build the branch again.`,
  91: (_, { files }) => `The commit has more than ${files} files: keep what is generated out of the repository.`,
  92: () => 'Git on the machine of the cluster is older than 2.32: install a newer one there, then retry the build.',
  93: (_, { bytes }) =>
    `The repository is larger than ${Math.floor(bytes / 2 ** 20)} MB, all that the fetch of a commit may write: keep large files out of it.`,
};

/** By what git says, the first that fits: what is wrong with the repository, then what to do. */
const said: readonly (readonly [RegExp, (found: RegExpExecArray, source: CommitToFetch) => string])[] = [
  [/^network: (.*)$/m, ([, refused]) => `The network of builds refused an address: ${refused}`],
  [
    /(?:transport '|Protocol ")([^'"]{1,40})['"] (?:not allowed|not supported|disabled)/,
    ([, scheme]) =>
      `A submodule, or a redirect, leads to "${scheme}", and builds fetch by https alone: write an https or relative address into .gitmodules.`,
  ],
  [
    /'[^']{1,40}' which may be interpreted as a command-line option|ignoring '[^']*\.url'/,
    () => 'A submodule has an address that begins with "-": write an https or relative address into .gitmodules.',
  ],
  [
    /invalid path '([^'\n]{1,200})/,
    ([, path]) => `The repository has the path "${path}", which Git refuses to check out: rename it.`,
  ],
  [
    // Git says no more of a path that is too long for its own buffer.
    /File name too long|cannot create directory at '[^']{1000}/,
    () => 'The repository has a path that is too long for the machine of the cluster: shorten it.',
  ],
  [
    /submodule path '(?:\/build\/)?([^']{1,200})'/,
    ([, submodule]) =>
      `The submodule "${submodule}" could not be fetched: submodules are fetched without a credential, and each by its commit; make it public, or take its files into the repository.`,
  ],
  [
    /couldn't find remote ref/i,
    (_, { ref }) =>
      `${nameOf(ref)} is not in the repository any more: push it again, or have another branch or tag built.`,
  ],
  [
    /RPC failed|early EOF|Operation too slow|Could not resolve|Failed to connect|Connection (?:refused|reset|timed out)|Recv failure|Empty reply|error: 5\d\d|HTTP code 5\d\d|tunnel failed, response 5\d\d|unexpected disconnect/,
    () => 'The host of the repository could not be reached, sent nothing for too long, or broke off: retry the build.',
  ],
  [
    /could not read Username|Authentication failed|terminal prompts disabled|error: 40[134]|not found/i,
    (_, { password }) =>
      password === ''
        ? 'The repository is not there, or it is private: check its address, or use a Git connection whose token may read it.'
        : 'The repository is not there, or the token of the Git connection may not read it: check its name, then the connection.',
  ],
];

/** The sentence for a fetch that failed, as far as it is known. */
export function repositoryFault(
  source: CommitToFetch,
  end: SandboxEnd,
  text: string,
  limits: SourceLimits,
): Refusal | undefined {
  const known = ended[end.ended === 'disk' ? 93 : end.ended === 'exited' ? end.code : 0];
  if (known !== undefined) return new Refusal(known(source, limits));
  if (end.ended !== 'exited') return undefined;
  for (const [pattern, sentence] of said) {
    const found = pattern.exec(text);
    if (found !== null) return new Refusal(sentence(found, source));
  }
  return undefined;
}

function nameOf(ref: string): string {
  const kind = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  return `The ${kind} "${ref.replace(/^refs\/(?:heads|tags)\//, '')}"`;
}

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
