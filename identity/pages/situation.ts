import { type Attempt, attemptOfState, claimAttempt } from '../../db/sign-in/sign-in-attempts.ts';
import { type Account, findAccount, findAccountByEmail, findAccountOfUser } from '../accounts/account.ts';
import { keepPending, readPending, takePending } from '../accounts/pending.ts';
import type { PageParts } from './parts.ts';
import type { Visit } from './visit.ts';

const longestInteraction = 900;

/** How far a person has come in an interaction, beyond its first page. */
export type Step =
  /** The password was right; the account has a second factor, too. */
  | { kind: 'second-factor'; accountId: string }
  /** Signed in, and may (or must) set up a second factor. */
  | { kind: 'protect'; accountId: string; amr: string[]; required: boolean }
  /** Signed in, and looks at the recovery codes. */
  | { kind: 'done'; accountId: string; amr: string[] };

/** All that decides what an interaction shows. Nothing of it comes from a form. */
export interface Situation {
  parts: PageParts;
  visit: Visit;
  uid: string;
  attempt: Attempt;
  step: Step | undefined;
  /** That of the step. */
  account: Account | undefined;
  entry: Entry;
}

/** The options of the first page of an interaction. */
export type Entry =
  | { kind: 'sign-in'; email?: string }
  /** With `email`, the account is for that address. `orSignIn`: an account that exists will do, too. */
  | { kind: 'create'; email?: string; name?: string; orSignIn: boolean }
  | { kind: 'reset'; account: Account };

/** The situation of an interaction of oidc-provider, or undefined when its sign-in has expired. */
export async function situationOf(
  parts: PageParts,
  visit: Visit,
  interaction: { uid: string; params: Record<string, unknown> },
): Promise<Situation | undefined> {
  const { kysely } = parts.database;
  const { state } = interaction.params;
  const attempt = typeof state === 'string' ? await attemptOfState(kysely, state) : undefined;
  if (attempt === undefined) return undefined;
  const beyond = attempt.link !== undefined || attempt.invitation !== undefined;
  if (beyond && !(await claimAttempt(kysely, attempt.id, interaction.uid))) return undefined;
  const entry = await entryOf(parts, attempt);
  if (entry === undefined) return undefined;
  const { uid } = interaction;
  const step = (await readPending(kysely, parts.keyring.identityKey(), `${uid}:step`)) as Step | undefined;
  const account = step === undefined ? undefined : await findAccount(kysely, step.accountId);
  return { parts, visit, uid, attempt, entry, step: account === undefined ? undefined : step, account };
}

async function entryOf({ database: { kysely } }: PageParts, attempt: Attempt): Promise<Entry | undefined> {
  const { link, invitation } = attempt;
  if (link?.kind === 'first-owner') return { kind: 'create', orSignIn: true };
  if (link?.kind === 'reset') {
    const account = link.user === undefined ? undefined : await findAccountOfUser(kysely, link.user.id);
    return account === undefined ? undefined : { kind: 'reset', account };
  }
  if (link?.user !== undefined) {
    const { name, email } = link.user;
    const existing = await findAccountByEmail(kysely, email);
    return existing?.userId == null ? { kind: 'create', email, name, orSignIn: true } : { kind: 'sign-in', email };
  }
  if (invitation !== undefined) {
    const { email } = invitation;
    const existing = await findAccountByEmail(kysely, email);
    if (existing !== undefined && existing.userId !== null) return { kind: 'sign-in', email };
    // An account with which nobody ever finished a sign-in can sign in, or be created again.
    return { kind: 'create', email, orSignIn: existing !== undefined };
  }
  return { kind: 'sign-in' };
}

export async function keepStep({ parts, uid }: Situation, step: Step): Promise<void> {
  const { accountId } = step;
  await keepPending(parts.database.kysely, parts.keyring.identityKey(), {
    id: `${uid}:step`,
    accountId,
    value: step,
    seconds: longestInteraction,
  });
}

/** Back to the first page. */
export async function dropStep({ parts, uid }: Situation): Promise<void> {
  await takePending(parts.database.kysely, parts.keyring.identityKey(), `${uid}:step`);
}

/** Ends the session that this browser has at the provider; the interaction continues without it. */
export async function forgetSession({ parts: { provider }, visit: { request, response } }: Situation): Promise<void> {
  const interaction = await provider.interactionDetails(request, response);
  if (interaction.session === undefined) return;
  await (await provider.Session.findByUid(interaction.session.uid))?.destroy();
  delete interaction.session;
  await interaction.persist();
}

export function pathOf({ uid }: Pick<Situation, 'uid'>, action?: string): string {
  return `/oidc/interaction/${encodeURIComponent(uid)}${action === undefined ? '' : `/${action}`}`;
}
