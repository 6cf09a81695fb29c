import { text } from 'node:stream/consumers';
import { command, UsageError } from '../engine/command.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { allowedOption, namedProjects } from '../place/allowed-projects.ts';
import { type Connection, connections, troubleOf } from './connection.ts';

/** Hosts that everybody knows; any other is one of the organization. */
const hosted = ['github.com', 'gitlab.com', 'codeberg.org', 'gitea.com'];

export const gitConnectionAdd = command({
  summary: 'Adds a Git connection: a host of repositories, with a token',
  usage: '--host HOST --label LABEL [--project SLUG]… [--token-stdin] [--json]',
  details: `The token is read from the standard input, or asked for at a terminal; it is never an argument, which the history of a shell would keep. The host
is asked first, and a token that it does not accept is refused. Of GitHub the token needs \`repo\`, of GitLab \`api\`, of Gitea and Forgejo
\`read:user\` and \`write:repository\`. Of a host that only serves git the token is \`name:password\`.`,
  options: {
    host: { type: 'string', value: 'HOST', what: 'github.com, gitlab.com, codeberg.org, or a host of your own.' },
    label: {
      type: 'string',
      value: 'LABEL',
      what: 'The name of the connection; may be left out of a host that everybody knows.',
    },
    ...allowedOption,
    'token-stdin': { type: 'boolean', what: 'Read the token from the standard input, at a terminal, too.' },
    ...restOptions,
  },
  run: async ({ host, label, project, 'token-stdin': fromInput, ...given }) => {
    if (host === undefined) throw new UsageError('Say the host: --host github.com, or one of your own.');
    const known = hosted.includes(host.toLowerCase());
    if (label === undefined && !known) throw new UsageError('Say what it is called: --label LABEL.');
    const rest = new Rest(given);
    const allowed = await namedProjects(rest, project);
    const token = await tokenOf(fromInput === true);
    const named = label === undefined ? {} : { label };
    const body = { host: known ? host.toLowerCase() : host, token, ...named, ...allowed };
    const kind = known ? 'hosted-token' : 'selfhosted-token';
    const made = await rest.call<Connection>('POST', `${connections}/${kind}`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connection: made }, undefined, 2)}\n`);
    const whose = made.accountLogin === '' ? '' : ` as ${printable(made.accountLogin)}`;
    process.stdout.write(`The Git connection ${printable(made.label)} to ${printable(made.host)}${whose} is added.\n`);
    const trouble = troubleOf(made);
    if (trouble !== '') process.stderr.write(`${printable(trouble)}\n`);
    process.stderr.write('`./ballast git-connection webhook` makes the secret that its host sends pushes with.\n');
  },
});

async function tokenOf(fromInput: boolean): Promise<string> {
  const token = (!fromInput && canAsk() ? await hidden('Token: ') : await text(process.stdin)).trim();
  if (token !== '') return token;
  throw new UsageError('There is no token: give it by the standard input.');
}
