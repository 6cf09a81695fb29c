import { Refusal } from '../../program/refusal.ts';
import type { SandboxEnd } from '../sandbox/sandbox.ts';
import type { CommitToFetch } from './fetch-source.ts';
import type { SourceLimits } from './unpack-source.ts';

const unreachable =
  /RPC failed|early EOF|Operation too slow|Could not resolve|Failed to connect|Connection (?:refused|reset|timed out)|Recv failure|Empty reply|error: 5\d\d|HTTP code 5\d\d|tunnel failed, response 5\d\d|unexpected disconnect/;

/** The sentence for what git said, as far as it is known: what is wrong with the repository, then what to do. */
export function repositoryFault(
  source: CommitToFetch,
  end: SandboxEnd,
  said: string,
  { bytes, files }: SourceLimits,
): Refusal | undefined {
  const { ref, commit } = source;
  if (end.ended === 'disk' || (end.ended === 'exited' && end.code === 93)) {
    const most = `${Math.floor(bytes / 2 ** 20)} MB`;
    return new Refusal(
      `The repository is larger than ${most}, all that the fetch of a commit may write: keep large files out of it.`,
    );
  }
  if (end.ended !== 'exited') return undefined;
  if (end.code === 90)
    return new Refusal(
      `The commit ${commit} is not in ${ref} of the repository any more: it was probably replaced by a forced push; build the branch again.`,
    );
  if (end.code === 91)
    return new Refusal(`The commit has more than ${files} files: keep what is generated out of the repository.`);
  if (end.code === 92)
    return new Refusal(
      'Git on the machine of the cluster is older than 2.32: install a newer one there, then retry the build.',
    );
  const [, refused] = /^network: (.*)$/m.exec(said) ?? [];
  if (refused !== undefined) return new Refusal(`The network of builds refused an address: ${refused}`);
  const [, scheme] =
    /(?:transport '|Protocol ")([^'"]{1,40})['"] (?:not allowed|not supported|disabled)/.exec(said) ?? [];
  if (scheme !== undefined) {
    return new Refusal(
      `A submodule, or a redirect, leads to "${scheme}", and builds fetch by https alone: write an https or relative address into .gitmodules.`,
    );
  }
  if (/'[^']{1,40}' which may be interpreted as a command-line option|ignoring '[^']*\.url'/.test(said)) {
    return new Refusal(
      'A submodule has an address that begins with "-": write an https or relative address into .gitmodules.',
    );
  }
  const [, path] = /invalid path '([^'\n]{1,200})/.exec(said) ?? [];
  if (path !== undefined)
    return new Refusal(`The repository has the path "${path}", which Git refuses to check out: rename it.`);
  // Git says no more of a path that is too long for its own buffer.
  if (/File name too long|cannot create directory at '[^']{1000}/.test(said))
    return new Refusal('The repository has a path that is too long for the machine of the cluster: shorten it.');
  const [, submodule] = /submodule path '(?:\/build\/)?([^']{1,200})'/.exec(said) ?? [];
  if (submodule !== undefined) {
    return new Refusal(
      `The submodule "${submodule}" could not be fetched: submodules are fetched without a credential, and each by its commit; make it public, or take its files into the repository.`,
    );
  }
  if (/couldn't find remote ref/i.test(said)) {
    return new Refusal(
      `${nameOf(ref)} is not in the repository any more: push it again, or have another branch or tag built.`,
    );
  }
  if (unreachable.test(said)) {
    return new Refusal(
      'The host of the repository could not be reached, sent nothing for too long, or broke off: retry the build.',
    );
  }
  if (/could not read Username|Authentication failed|terminal prompts disabled|error: 40[134]|not found/i.test(said)) {
    return new Refusal(
      source.password === ''
        ? 'The repository is not there, or it is private: check its address, or use a Git connection whose token may read it.'
        : 'The repository is not there, or the token of the Git connection may not read it: check its name, then the connection.',
    );
  }
  return undefined;
}

function nameOf(ref: string): string {
  const kind = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  return `The ${kind} "${ref.replace(/^refs\/(?:heads|tags)\//, '')}"`;
}
