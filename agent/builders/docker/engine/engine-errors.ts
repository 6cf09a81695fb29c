import { Refusal } from '../../../program/refusal.ts';
import { InstructionFailed } from '../../step-failed.ts';
import { BuildRefused } from './run-build.ts';

const table: readonly { said: RegExp; what: (found: RegExpExecArray) => string }[] = [
  {
    said: /"(\/[^"]*)":? not found|failed to walk \S+: lstat \S*\/([^\s/]+): no such file/i,
    what: ([, path, other]) =>
      `${path ?? other} is not in the context: check the path, the context of the service and .dockerignore.`,
  },
  {
    said: /target stage (\S+) could not be found/i,
    what: ([, stage]) => `The Dockerfile has no stage ${stage}: change the target of the service.`,
  },
  {
    said: /no space left on device/i,
    what: () => 'The disk of the engine is full: free space on its machine, then retry.',
  },
  {
    said: /network (\S+) not found/i,
    what: ([, name]) => `The engine runs without the network ${name}, which builds need: start it with its bridge.`,
  },
  {
    said: /no such host|dial tcp|i\/o timeout|connection refused|network is unreachable/i,
    what: () => 'The engine of the cluster does not reach a registry: look at its network and its mirrors.',
  },
];
const metadata = /^\[internal\] load metadata for (\S+)/;
const frontend = /^resolve image config for (?:docker-image:\/\/)?(\S+)/;

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
  const syntax = frontend.exec(failed?.name ?? '')?.[1];
  if (syntax !== undefined)
    return new Refusal(
      `The line "# syntax=" of the Dockerfile wants the frontend ${syntax}, which cannot be had: take the line out, so that the engine's own is used, or let the engine reach that registry. It said: ${text}`,
    );
  const image = metadata.exec(failed?.name ?? '')?.[1];
  if (image !== undefined)
    return new Refusal(
      `The image ${image} cannot be had: check its name, and that the engine of the cluster reaches its registry. It said: ${text}`,
    );
  const advice = table.flatMap(({ said: pattern, what }) => {
    const found = pattern.exec(said);
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
