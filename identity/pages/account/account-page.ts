import { type Html, html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/page.ts';
import { hasSecondFactor } from '../../accounts/account.ts';
import { keepPending } from '../../accounts/pending.ts';
import type { Refusal } from '../../accounts/refusal.ts';
import { listPasskeys, type Passkey, passkeyCreation, passkeysWork } from '../../accounts/second-factors/passkeys.ts';
import { alert, field, passkeyForm } from '../fields.ts';
import { accountPath, type Owner } from '../owner.ts';

const done: ReadonlyMap<string, string> = new Map(
  Object.entries({
    password: 'Your password is changed, and you are signed out everywhere. Ballast asks you to sign in again.',
    app: 'The authenticator app is set up.',
    'app-removed': 'The authenticator app is removed.',
    passkey: 'The passkey is added.',
    'passkey-removed': 'The passkey is removed.',
  }),
);

export interface AccountFault {
  refusal: Refusal;
  /** Which form it is about. */
  action: string;
}

export async function accountPage(owner: Owner, search: URLSearchParams, fault?: AccountFault): Promise<Page> {
  const { account, parts } = owner;
  const passkeys = await listPasskeys(parts.database.kysely, account.id);
  const news = fault === undefined ? done.get(search.get('done') ?? '') : undefined;
  const of = (action: string) => (fault?.action === action ? fault.refusal : undefined);
  return {
    title: 'Your account',
    scripts: ['passkey.js'],
    body: html`<h1>Your account</h1>
<p>${account.name}<br><span class="quiet">${account.email}</span></p>
${news === undefined ? undefined : html`<p class="news" role="status">${news}</p>`}
<section><h2>Authenticator app</h2>
${
  account.hasAuthenticatorApp
    ? html`<p>Set up: you are asked for its code when you sign in with your password.</p>
<p><a href="${accountPath('?view=app')}">Set up another phone instead</a></p>
${confirmed(owner, 'remove-app', 'Remove', 'Remove the app', of('remove-app'))}`
    : html`<p>A code from your phone at each sign-in.</p><p class="actions"><a class="button quiet" href="${accountPath('?view=app')}">Add an authenticator app</a></p>`
}</section>
<section><h2>Passkeys</h2>
${passkeys.length === 0 ? html`<p>Sign in with finger, face, PIN or a security key.</p>` : passkeyList(owner, passkeys, of('remove-passkey'))}
${await newPasskey(owner, passkeys, of('add-passkey'))}</section>
${
  hasSecondFactor(account)
    ? html`<section><h2>Recovery codes</h2>
<p>${account.recoveryCodes === 0 ? 'None are left' : account.recoveryCodes === 1 ? 'One is left' : `${account.recoveryCodes} are left`}. Making new ones voids those that you have.</p>
${confirmed(owner, 'new-codes', 'Create new codes', 'Create new codes', of('new-codes'))}</section>`
    : undefined
}
<section><h2>Password</h2>
<details${of('password') === undefined ? undefined : html` open`}><summary>Change password</summary>
${alert(of('password'))}
<form method="post" action="${accountPath('/password')}">
${password(owner, 'password', of('password'))}
${field({ name: 'new-password', label: 'New password', type: 'password', autocomplete: 'new-password', most: 1000, hint: 'At least 12 characters. You are signed out everywhere else.', refusal: of('password') })}
<button type="submit">Change password</button></form></details></section>
<p class="aside"><a href="/">Back to Ballast</a></p>`,
  };
}

/** A change that wants the password first. */
function confirmed(owner: Owner, action: string, summary: string, button: string, refusal: Refusal | undefined): Html {
  return html`<details${refusal === undefined ? undefined : html` open`}><summary>${summary}</summary>
${alert(refusal)}
<form method="post" action="${accountPath(`/${action}`)}">
${password(owner, action, refusal)}
<button type="submit" class="quiet">${button}</button></form></details>`;
}

function passkeyList(owner: Owner, passkeys: readonly Passkey[], refusal: Refusal | undefined): Html {
  return html`<ul>${passkeys.map(
    ({ name, createdAt, lastUsedAt }) =>
      html`<li><strong>${name}</strong><span>Added ${day(createdAt)}${lastUsedAt === null ? '' : `, last used ${day(lastUsedAt)}`}</span></li>`,
  )}</ul>
<details${refusal === undefined ? undefined : html` open`}><summary>Remove a passkey</summary>
${alert(refusal)}
<form method="post" action="${accountPath('/remove-passkey')}">
<div class="field"><label for="passkey">Passkey</label><select id="passkey" name="passkey">${passkeys.map(
    ({ id, name, createdAt }) => html`<option value="${id}">${name}, added ${day(createdAt)}</option>`,
  )}</select></div>
${password(owner, 'remove-passkey', refusal)}
<button type="submit" class="quiet">Remove</button></form></details>`;
}

async function newPasskey(owner: Owner, passkeys: readonly Passkey[], refusal: Refusal | undefined): Promise<Html> {
  const { parts, account } = owner;
  const { PUBLIC_URL } = parts.settings;
  if (!passkeysWork(PUBLIC_URL)) {
    return html`<p class="hint">Passkeys need a host name and https; this installation is reached without.</p>`;
  }
  const options = await passkeyCreation(PUBLIC_URL, account, passkeys);
  await keepPending(parts.database.kysely, parts.keyring.identityKey(), {
    id: challengeId(owner),
    accountId: account.id,
    value: { challenge: options.challenge },
    seconds: 900,
  });
  const form = passkeyForm({
    kind: 'create',
    action: accountPath('/add-passkey'),
    options,
    button: 'Add passkey',
    style: 'quiet',
    fields: html`${field({ name: 'passkey-name', label: 'Name of the passkey', autocomplete: 'off', most: 60, value: 'This device' })}
${password(owner, 'add-passkey', refusal)}`,
  });
  return html`<details${refusal === undefined ? undefined : html` open`}><summary>Add a passkey</summary>${alert(refusal)}${form}
<noscript><p class="hint">Passkeys need JavaScript; switch it on to add one.</p></noscript></details>`;
}

export function challengeId({ session }: Owner): string {
  return `${session.uid}:challenge`;
}

/** Password managers look for the name that goes with it. */
function password({ account }: Owner, form: string, refusal: Refusal | undefined): Html {
  return html`<input type="email" name="email" value="${account.email}" autocomplete="username" readonly hidden>
${field({
  id: `${form}-password`,
  name: 'password',
  label: 'Your password',
  type: 'password',
  autocomplete: 'current-password',
  most: 1000,
  refusal,
})}`;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
