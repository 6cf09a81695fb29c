import { Refusal } from '../../../program/refusal.ts';
import { InstructionFailed } from '../../step-failed.ts';
import { BuildRefused } from './run-build.ts';

const table: readonly { said: RegExp; what: (found: RegExpExecArray) => string }[] = [
  {
    said: /frontend image|resolve image config for (?:docker-image:\/\/)?(\S*docker\/dockerfile\S*)|(\S*docker\/dockerfile:\S+?):? (?:not found|.*(?:dial tcp|no such host|denied))/i,
    what: (found) =>
      `The line "# syntax=" of the Dockerfile names a frontend that cannot be had${found[1] === undefined && found[2] === undefined ? '' : ` (${found[1] ?? found[2]})`}: take the line out, which leaves the frontend of the engine, or let the engine reach that registry.`,
  },
  {
    said: /(?:^|\s)"?(\S+?)"?: (?:not found|pull access denied|failed to do request|failed to resolve source metadata|failed to authorize)/i,
    what: ([, image]) =>
      `The image ${image} cannot be had: check its name, and that the engine of the cluster reaches its registry.`,
  },
  {
    said: /(?:no such host|dial tcp|i\/o timeout|connection refused|network is unreachable)/i,
    what: () => 'The engine of the cluster does not reach the registry: look at its network and its mirrors.',
  },
  {
    said: /(?:failed to (?:compute cache key|calculate checksum of ref)[^"]*"?)(\/[^"]*?)"?:? not found|failed to walk .*: lstat .*\/(\S+): no such file/i,
    what: ([, path, other]) =>
      `${path ?? other} is not in the context: check the path, the context of the service and .dockerignore.`,
  },
  {
    said: /target stage "?([^"\s]+)"? could not be found|no build stage .*"([^"]+)"/i,
    what: ([, one, other]) => `The Dockerfile has no stage ${one ?? other}: change the target of the service.`,
  },
  {
    said: /no space left on device/i,
    what: () => 'The disk of the engine is full: free space on its machine, then retry.',
  },
];

/** The error of a build in words: a command that failed, a secret that is not there, or what the engine says, with advice. */
export function explained(
  error: unknown,
  failed: { name: string; error: string; lines: readonly string[] } | undefined,
  missing: ReadonlySet<string>,
): unknown {
  const [secret] = missing;
  if (secret !== undefined)
    return new Refusal(
      `The Dockerfile mounts the secret ${JSON.stringify(secret)}, which the service does not have: add a secret variable of that name.`,
    );
  if (!(error instanceof BuildRefused)) return error;
  const said = failed === undefined ? error.message : `${failed.error}`;
  const code = /exit code: (\d+)/.exec(said)?.[1];
  if (failed !== undefined && code !== undefined)
    return new InstructionFailed(failed.name, { ended: 'exited', code: Number(code) }, failed.lines);
  const text = plainOf(said);
  const advice = table.flatMap(({ said: pattern, what }) => {
    const found = pattern.exec(said) ?? pattern.exec(error.message);
    return found === null ? [] : [what(found)];
  })[0];
  const at = failed === undefined ? '' : `${failed.name}: `;
  return new Refusal(`${at}${text}${advice === undefined ? '' : `${/[.!?]$/.test(text) ? '' : '.'} ${advice}`}`);
}

/** Without the names of the engine's own parts. */
function plainOf(text: string): string {
  return text
    .replace(
      /^(?:failed to solve(?: with frontend \S+)?: |failed to (?:read dockerfile|create LLB definition|build LLB): |rpc error: code = \w+ desc = )+/,
      '',
    )
    .trim();
}
