import { readSome } from '../domain/settings/settings.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { command, UsageError } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';

interface Exchanged {
  token: { name: string; role: string };
  secret: string;
  expiresAt: string;
}

export const tokenExchange = command({
  summary: 'Exchanges the token of a CI job for an API token and prints its secret',
  usage: '--organization SLUG [--audience URL] [--name NAME] [--json]',
  details: `The organization has to trust the issuer of the job (docs/continuous-integration.md). In GitHub Actions the job needs the
permission \`id-token: write\`; its token is fetched by this command, and the secret is masked in the log. Elsewhere, as with
\`id_tokens\` of GitLab, the token is in BALLAST_JOB_TOKEN. Each such token is good for one exchange.`,
  options: {
    organization: { type: 'string', value: 'SLUG', what: 'The organization that trusts the job.' },
    audience: {
      type: 'string',
      value: 'URL',
      what: 'Audience of the rule, which GitHub is asked for; the address of the control plane by default.',
    },
    name: { type: 'string', value: 'NAME', what: 'What the API token is called; the rule and the job by default.' },
    url: restOptions.url,
    json: restOptions.json,
  },
  run: async ({ organization, audience, name, url }) => {
    if (organization === undefined)
      throw new UsageError('--organization needs the slug of the organization that trusts the job.');
    const rest = new Rest({ url }, undefined, { anonymous: true });
    const token = await jobToken(audience ?? rest.url);
    const exchanged = await rest.call<Exchanged>('POST', '/token-exchange', { organization, token, name });
    // A runner of GitHub takes this out of all that the job writes from now on.
    if (process.env.GITHUB_ACTIONS === 'true') process.stderr.write(`::add-mask::${exchanged.secret}\n`);
    const { name: called, role } = exchanged.token;
    return {
      jsonLine: exchanged,
      text: exchanged.secret,
      below: `Token "${called}" (${role}) of ${organization}, until ${exchanged.expiresAt}.`,
    };
  },
});

async function jobToken(audience: string): Promise<string> {
  const { BALLAST_JOB_TOKEN } = readSome(process.env, ['BALLAST_JOB_TOKEN']);
  if (BALLAST_JOB_TOKEN !== undefined) return BALLAST_JOB_TOKEN;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: credential } = process.env;
  if (address && credential) return await ofGithub(address, credential, audience);
  throw new Refusal(
    process.env.GITHUB_ACTIONS === 'true'
      ? 'This job may not ask GitHub for a token: give it `permissions: id-token: write`. A pull request from a fork never has it.'
      : 'There is no token of a job: put it into BALLAST_JOB_TOKEN, as `id_tokens` of GitLab do.',
  );
}

async function ofGithub(address: string, credential: string, audience: string): Promise<string> {
  const asked = new URL(address);
  asked.searchParams.set('audience', audience);
  const headers = { authorization: `Bearer ${credential}`, accept: 'application/json' };
  const answer = await fetch(asked, { headers, redirect: 'error' }).catch((error: unknown) => {
    throw new Refusal(`GitHub gave the job no token (${error instanceof Error ? error.message : error}); try again.`);
  });
  const said = (await answer.json().catch(() => ({}))) as { value?: unknown };
  if (answer.ok && typeof said.value === 'string') return said.value;
  throw new Refusal(`GitHub gave the job no token (status ${answer.status}); try again.`);
}
