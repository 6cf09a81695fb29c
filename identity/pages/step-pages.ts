import { html } from '../../pages/html.ts';
import type { Page } from '../../pages/page.ts';
import type { Account } from '../accounts/account.ts';
import { keepPending, readPending } from '../accounts/pending.ts';
import { listPasskeys, passkeyCreation, passkeyRequest, passkeysWork } from '../accounts/second-factors/passkeys.ts';
import { newTotpSecret, totpAddress } from '../accounts/second-factors/totp.ts';
import { codeList, qrCode, spaced } from './account/setup-parts.ts';
import { type Fault, keepChallenge } from './entry-pages.ts';
import { alert, field, passkeyForm } from './fields.ts';
import { pathOf, type Situation, type Step } from './situation.ts';

export type FactorView = 'app' | 'passkey' | 'recovery';

/** The second factor: whichever the account has, and a recovery code for when it is lost. */
export async function secondFactorPage(
  situation: Situation,
  account: Account,
  wanted: FactorView | undefined,
  fault?: Fault,
): Promise<Page> {
  const { PUBLIC_URL } = situation.parts.settings;
  const passkeys = passkeysWork(PUBLIC_URL) ? await listPasskeys(situation.parts.database.kysely, account.id) : [];
  const view = wanted === 'recovery' || (!account.hasAuthenticatorApp && passkeys.length === 0) ? 'recovery' : 'factor';
  const options = view === 'factor' && passkeys.length > 0 ? await passkeyRequest(PUBLIC_URL, passkeys) : undefined;
  if (options !== undefined) await keepChallenge(situation, options.challenge);
  const passkey =
    options === undefined
      ? undefined
      : html`${passkeyForm({ kind: 'get', action: pathOf(situation, 'factor-passkey'), options, button: 'Use a passkey', ...(account.hasAuthenticatorApp ? { style: 'quiet' } : {}) })}
${account.hasAuthenticatorApp ? undefined : html`<p data-without-passkey>Your second factor is a passkey, and this browser cannot use one without JavaScript. Switch it on, or use a recovery code.</p>`}`;
  const app = html`<form method="post" action="${pathOf(situation, 'code')}">
${field({ name: 'code', label: 'Code of your authenticator app', autocomplete: 'one-time-code', inputmode: 'numeric', most: 10, focus: true, refusal: fault?.refusal })}
<button type="submit">Continue</button></form>`;
  const recovery = html`<form method="post" action="${pathOf(situation, 'recovery')}">
${field({ name: 'recovery', label: 'Recovery code', autocomplete: 'off', most: 40, hint: 'One of those that you noted down. Each works once.', focus: true, refusal: fault?.refusal })}
<button type="submit">Continue</button></form>`;
  return {
    title: 'Second factor',
    scripts: ['passkey.js'],
    body: html`<h1>Make sure that it is you</h1>
<p>Signing in as ${account.email}.</p>
${alert(fault?.refusal)}
${view === 'recovery' ? recovery : html`${account.hasAuthenticatorApp ? app : undefined}${passkey}`}
<form method="post" action="${pathOf(situation, 'start-over')}" class="links">
${
  view === 'recovery'
    ? html`<a href="${pathOf(situation)}">Use the second factor</a>`
    : html`<a href="${pathOf(situation)}?view=recovery">Use a recovery code</a>`
}
<button type="submit" class="link">Use another account</button></form>`,
  };
}

/** Offers a second factor right after the account was made, or demands it where the organization does. */
export async function protectPage(
  situation: Situation,
  step: Step & { kind: 'protect' },
  account: Account,
  fault?: Fault,
): Promise<Page> {
  const { PUBLIC_URL } = situation.parts.settings;
  const options = passkeysWork(PUBLIC_URL) ? await passkeyCreation(PUBLIC_URL, account, []) : undefined;
  if (options !== undefined) await keepChallenge(situation, options.challenge);
  const organization = situation.attempt.invitation?.organizationName;
  return {
    title: 'Protect your account',
    scripts: ['passkey.js'],
    body: html`<h1>Protect your account</h1>
<p>${
      step.required
        ? `${organization ?? 'The organization'} lets in only those who sign in with a second factor. Choose one to continue.`
        : 'With a second factor, a stolen password opens nothing.'
    }</p>
${alert(fault?.refusal)}
<div class="choices">
<a class="choice" href="${pathOf(situation)}?view=app"><strong>Authenticator app</strong><span>A code from your phone at each sign-in</span></a>
${
  options === undefined
    ? undefined
    : passkeyForm({
        kind: 'create',
        action: pathOf(situation, 'add-passkey'),
        options,
        button: html`<strong>Passkey</strong><span>Finger, face, PIN or a security key</span>`,
        style: 'choice',
      })
}
</div>
${
  step.required
    ? undefined
    : html`<form method="post" action="${pathOf(situation, 'not-now')}"><button type="submit" class="quiet">Not now</button></form>
<p class="aside">You can do this later on your account page.</p>`
}`,
  };
}

export async function addAppPage(situation: Situation, account: Account, fault?: Fault): Promise<Page> {
  const secret = await pendingTotpSecret(situation);
  const host = new URL(situation.parts.settings.PUBLIC_URL).host;
  return {
    title: 'Add an authenticator app',
    body: html`<h1>Add an authenticator app</h1>
<p>Scan this with an app such as Aegis, 1Password or Google Authenticator, then enter the code that it shows.</p>
${alert(fault?.refusal)}
${qrCode(totpAddress(secret, { email: account.email, host }))}
<p class="secret">Or type it: <code>${spaced(secret)}</code></p>
<form method="post" action="${pathOf(situation, 'add-app')}">
${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', most: 10, focus: true, refusal: fault?.refusal })}
<button type="submit">Continue</button></form>
<p class="aside"><a href="${pathOf(situation)}">Choose something else</a></p>`,
  };
}

/** The secret that the app is being set up with: the same when the page is shown again. */
async function pendingTotpSecret({ parts, uid, step }: Situation): Promise<string> {
  const { kysely } = parts.database;
  const key = parts.keyring.identityKey();
  const kept = await readPending(kysely, key, `${uid}:totp`);
  if (typeof kept?.secret === 'string') return kept.secret;
  const secret = newTotpSecret();
  const accountId = step?.accountId ?? null;
  await keepPending(kysely, key, { id: `${uid}:totp`, accountId, value: { secret }, seconds: 900 });
  return secret;
}

export function recoveryCodesPage(
  codes: readonly string[],
  onwards: { action: string; button: string; method?: 'get' },
): Page {
  return {
    title: 'Recovery codes',
    body: html`<h1>Note down your recovery codes</h1>
<p>Each of them stands in once for a lost second factor. You see them only now.</p>
${codeList(codes)}
<form method="${onwards.method ?? 'post'}" action="${onwards.action}" class="actions"><button type="submit">${onwards.button}</button></form>`,
  };
}

/** Where the recovery codes were shown: a second time they are not. */
export function goOnPage(situation: Situation): Page {
  return {
    title: 'All set',
    body: html`<h1>Your account is protected</h1>
<p>If you could not note down your recovery codes, create new ones on your account page.</p>
<form method="post" action="${pathOf(situation, 'finish')}"><button type="submit">Continue</button></form>`,
  };
}
