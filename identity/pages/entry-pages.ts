import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../../pages/page.ts';
import { keepPending } from '../accounts/pending.ts';
import type { Refusal } from '../accounts/refusal.ts';
import { passkeyRequest, passkeysWork } from '../accounts/second-factors/passkeys.ts';
import { alert, field, passkeyForm } from './fields.ts';
import { type Entry, pathOf, type Situation } from './situation.ts';

/** The refusal, and the values the person had typed (no secrets), so that they need not be typed again. */
export interface Fault {
  refusal: Refusal;
  typed: { email?: string; name?: string };
}

export async function signInPage(situation: Situation, fault?: Fault): Promise<Page> {
  const { attempt, entry } = situation;
  const fixed = entry.kind === 'sign-in' ? entry.email : undefined;
  const { invitation } = attempt;
  const title = invitation === undefined ? 'Sign in' : `Join ${invitation.organizationName}`;
  return {
    title,
    scripts: ['passkey.js'],
    body: html`<h1>${title}</h1>
${
  invitation === undefined
    ? html`<p>Welcome back.</p>`
    : html`<p>${invitation.invitedByName} invited you. Sign in to your account to accept.</p>`
}
${alert(fault?.refusal)}
<form method="post" action="${pathOf(situation, 'password')}">
${field({ name: 'email', label: 'E-mail', type: 'email', inputmode: 'email', autocomplete: 'username', most: 254, value: fixed ?? fault?.typed.email, fixed: fixed !== undefined, focus: fixed === undefined && fault === undefined, refusal: fault?.refusal })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', most: 1000, focus: fixed !== undefined, refusal: fault?.refusal })}
<button type="submit">Sign in</button></form>
${await passkeySignIn(situation)}
${
  entry.kind === 'create' && entry.orSignIn
    ? html`<p class="aside">No account yet? <a href="${pathOf(situation)}">Create one</a></p>`
    : html`<p class="aside">Lost your password or your second factor? The operator of this installation can create a new link with <code>ballast user reset</code>.</p>`
}`,
  };
}

async function passkeySignIn(situation: Situation): Promise<Html> {
  const { PUBLIC_URL } = situation.parts.settings;
  if (!passkeysWork(PUBLIC_URL)) return html``;
  const options = await passkeyRequest(PUBLIC_URL, undefined);
  await keepChallenge(situation, options.challenge);
  return html`<div class="or" data-or>or</div>${passkeyForm({ kind: 'get', action: pathOf(situation, 'passkey'), options, button: 'Sign in with a passkey', style: 'quiet' })}`;
}

export function createPage(situation: Situation, entry: Entry & { kind: 'create' }, fault?: Fault): Page {
  const { invitation, link } = situation.attempt;
  const title =
    invitation !== undefined
      ? `Join ${invitation.organizationName}`
      : link?.kind === 'first-owner'
        ? 'Create the first account'
        : 'Create your account';
  const why =
    invitation !== undefined
      ? `${invitation.invitedByName} invited you. Create an account to accept.`
      : link?.kind === 'first-owner'
        ? 'It owns this installation. Everyone else joins by invitation.'
        : 'You will sign in with it from now on.';
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${why}</p>
${alert(fault?.refusal)}
<form method="post" action="${pathOf(situation, 'create')}">
${field({ name: 'name', label: 'Name', autocomplete: 'name', most: 100, value: fault?.typed.name ?? entry.name, focus: fault === undefined, refusal: fault?.refusal })}
${field({ name: 'email', label: 'E-mail', type: 'email', inputmode: 'email', autocomplete: 'username', most: 254, value: entry.email ?? fault?.typed.email, fixed: entry.email !== undefined, refusal: fault?.refusal })}
${newPassword('Password', fault?.refusal)}
<button type="submit">Create account</button></form>
${
  entry.orSignIn
    ? html`<p class="aside">You have an account here? <a href="${pathOf(situation)}?view=sign-in">Sign in with it</a></p>`
    : undefined
}`,
  };
}

export function resetPage(situation: Situation, entry: Entry & { kind: 'reset' }, fault?: Fault): Page {
  return {
    title: 'Set a new password',
    body: html`<h1>Set a new password</h1>
<p>Your authenticator app and passkeys are removed, and you are signed out everywhere; you can set them up again in the
next step.</p>
${alert(fault?.refusal)}
<form method="post" action="${pathOf(situation, 'reset')}">
${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: entry.account.email, fixed: true })}
${newPassword('New password', fault?.refusal, true)}
<button type="submit">Set password</button></form>`,
  };
}

function newPassword(label: string, refusal: Refusal | undefined, focus = false): Html {
  return field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    most: 1000,
    hint: 'At least 12 characters. A few words in a row are easy to remember.',
    focus: focus && refusal === undefined,
    refusal,
  });
}

/** The challenge for a passkey, good for one answer. Each new page gets a new one. */
export async function keepChallenge({ parts, uid }: Situation, challenge: string): Promise<void> {
  await keepPending(parts.database.kysely, parts.keyring.identityKey(), {
    id: `${uid}:challenge`,
    accountId: null,
    value: { challenge },
    seconds: 600,
  });
}
