import { expect } from 'vitest';
import { specifiedClocks } from '../../api/engine/streams/clocks.ts';
import type { Organization } from '../api/client.ts';
import { type Answered, type RunningApi, runningApi } from '../installation/running-api.ts';
import { type JobIssuer, jobIssuer } from './job-issuer.ts';

export const audience = 'https://ballast.example.com';
export const github = {
  sub: 'repo:octo/app:ref:refs/heads/main',
  repository: 'octo/app',
  ref: 'refs/heads/main',
  run_id: '7',
};
export const stranger =
  'This token is not trusted here: there is no such organization, none of its trusted issuers is the one that the token names in "iss", or the token is not signed by it. Compare both with the rule.';

export function expectRefused(answered: Answered, detail: string | RegExp): void {
  expect(answered.status, answered.text).toBe(403);
  if (typeof detail === 'string') expect(answered.body.detail).toBe(detail);
  else expect(answered.body.detail).toMatch(detail);
}

export interface Exchanged {
  secret: string;
  token: Record<string, unknown>;
}
export function exchangedOf(answered: Answered): Exchanged {
  expect(answered.status, answered.text).toBe(201);
  return answered.body as unknown as Exchanged;
}
export const credentialOf = ({ secret, token }: Exchanged) => ({ token: secret, id: String(token.id) });

export interface JobExchange {
  api: RunningApi;
  issuer: JobIssuer;
  /** Another issuer, to be put out of order. */
  spare: JobIssuer;
  /** An organization that trusts jobs of `issuer`, by the rule "deploy 1". */
  ours: Organization;
  /** Adds a rule, whose id it returns. */
  trust(whose: Organization, more: Record<string, unknown>): Promise<string>;
  exchange(token: string, organization?: string, more?: Record<string, unknown>): Promise<Answered>;
  /** A token of a job that `ours` trusts, if these claims do not change that. */
  job(claims?: Record<string, unknown>): Promise<string>;
  /** A request that every token may make. */
  teams(exchanged: Exchanged): Promise<Answered>;
  close(): Promise<void>;
}

/** An API beside issuers of jobs, one of which an organization there trusts. */
export async function jobExchange(): Promise<JobExchange> {
  // No check of a stream's credential comes within a test.
  const clocks = { ...specifiedClocks, recheck: 3_600_000 };
  const api = await runningApi({ manyClients: true, clocks, env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  const issuer = await jobIssuer();
  const spare = await jobIssuer();
  const ours = await api.organization();
  let rules = 0;
  const trust = async (whose: Organization, more: Record<string, unknown>): Promise<string> => {
    rules += 1;
    const made = await api.as(whose.sessions.admin).post('/trusted-issuers', {
      name: `deploy ${rules}`,
      issuer: issuer.url,
      audience,
      claims: { repository: ['octo/*'], ref: ['refs/heads/main'] },
      role: 'deployer',
      ...more,
    });
    expect(made.status, made.text).toBe(201);
    return String(made.body.id);
  };
  const exchange = (token: string, organization = ours.slug, more: Record<string, unknown> = {}) =>
    api.call('POST', '/api/v1/token-exchange', { body: { organization, token, ...more } });
  const job = (claims: Record<string, unknown> = {}) => issuer.token({ aud: audience, ...github, ...claims });
  const teams = (exchanged: Exchanged) => api.as(credentialOf(exchanged)).get('/teams');
  await trust(ours, {});
  const close = async () => {
    await issuer.close();
    await spare.close();
    await api.close();
  };
  return { api, issuer, spare, ours, trust, exchange, job, teams, close };
}
