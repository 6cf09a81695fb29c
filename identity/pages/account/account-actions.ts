import { type Effect, effect } from '../../../db/engine/effect.ts';
import type { Page } from '../../../pages/page.ts';
import { findAccount, hasSecondFactor } from '../../accounts/account.ts';
import { authorOf } from '../../accounts/author.ts';
import { checkPassword } from '../../accounts/passwords/check-password.ts';
import { hashPassword } from '../../accounts/passwords/password.ts';
import { changePassword } from '../../accounts/passwords/set-password.ts';
import { readPending, takePending } from '../../accounts/pending.ts';
import { nameFault, tidy } from '../../accounts/person-rules.ts';
import { Refusal } from '../../accounts/refusal.ts';
import { verifyNewPasskey } from '../../accounts/second-factors/passkeys.ts';
import {
  type Added,
  addAuthenticatorApp,
  addPasskey,
  removeAuthenticatorApp,
  removePasskey,
  renewRecoveryCodes,
} from '../../accounts/second-factors/second-factors.ts';
import { checkedPassword } from '../checked-password.ts';
import { guessAt } from '../guess.ts';
import { accountPath, type Owner } from '../owner.ts';
import { recoveryCodesPage } from '../step-pages.ts';
import type { Form } from '../visit.ts';
import { secretId } from './account-app-page.ts';
import { challengeId } from './account-page.ts';

interface AccountAction {
  /** Which page shows what is wrong. */
  view?: 'app';
  /** The next page, or the word by which the account page reports success. */
  work(owner: Owner, form: Form): Promise<Page | string>;
}

/** The forms of the account page. Each asks for the password: a browser may be left unattended. */
export const accountActions: Readonly<Record<string, AccountAction | undefined>> = {
  password: {
    async work(owner, form) {
      await confirm(owner, form);
      const password = checkedPassword(form, owner.account, 'new-password');
      const passwordHash = await hashPassword(password);
      await changed(owner, (effect) => changePassword(effect, owner.account, passwordHash, owner.session.uid));
      return 'password';
    },
  },
  'add-app': {
    view: 'app',
    async work(owner, form) {
      await confirm(owner, form);
      const { database, keyring } = owner.parts;
      const key = keyring.identityKey();
      const pending = await readPending(database.kysely, key, secretId(owner));
      if (typeof pending?.secret !== 'string') throw new Refusal('The page was open for too long; scan the new code.');
      const app = { secret: pending.secret, code: form.text('code') };
      const added = await changed(owner, (effect) => addAuthenticatorApp(effect, key, owner.account.id, app));
      await takePending(database.kysely, key, secretId(owner));
      return await proved(owner, added, ['pwd', 'otp', 'mfa'], 'app');
    },
  },
  'remove-app': {
    async work(owner, form) {
      await confirm(owner, form);
      await changed(owner, (effect) => removeAuthenticatorApp(effect, owner.account.id));
      await noLongerProved(owner);
      return 'app-removed';
    },
  },
  'add-passkey': {
    async work(owner, form) {
      await confirm(owner, form);
      const { database, keyring, settings } = owner.parts;
      const name = tidy(form.text('passkey-name'));
      const fault = nameFault(name);
      if (fault !== undefined) throw new Refusal(fault, { field: 'passkey-name' });
      const kept = await takePending(database.kysely, keyring.identityKey(), challengeId(owner));
      const challenge = typeof kept?.challenge === 'string' ? kept.challenge : '';
      const passkey = await verifyNewPasskey(settings.PUBLIC_URL, challenge, form.text('answer'));
      if (passkey === undefined) throw new Refusal('The passkey could not be added; try again.');
      const added = await changed(owner, (effect) => addPasskey(effect, owner.account.id, passkey, name));
      return await proved(owner, added, ['pwd', 'hwk', 'mfa'], 'passkey');
    },
  },
  'remove-passkey': {
    async work(owner, form) {
      await confirm(owner, form);
      await changed(owner, (effect) => removePasskey(effect, owner.account.id, form.text('passkey')));
      await noLongerProved(owner);
      return 'passkey-removed';
    },
  },
  'new-codes': {
    async work(owner, form) {
      await confirm(owner, form);
      const codes = await changed(owner, (effect) => renewRecoveryCodes(effect, owner.account.id));
      return codesPage(codes);
    },
  },
};

async function confirm({ parts, visit, account }: Owner, form: Form): Promise<void> {
  const guess = { ...guessAt(account.email, parts, visit), password: form.text('password') };
  const confirmed = await checkPassword(parts.database.kysely, guess);
  if (confirmed?.id !== account.id) throw new Refusal('This is not your password; try again.', { field: 'password' });
}

async function changed<T>({ parts, visit, account }: Owner, work: (effect: Effect) => Promise<T>): Promise<T> {
  return await effect(parts.database, authorOf(account, visit.address), work);
}

/** Password and second factor were both shown just now: the next sign-in by this session says so. */
async function proved(owner: Owner, added: Added, amr: string[], done: string): Promise<Page | string> {
  owner.session.loginAccount({ accountId: owner.account.id, amr });
  await owner.session.persist();
  return added.recoveryCodes === undefined ? done : codesPage(added.recoveryCodes);
}

/** Without a second factor, this session no longer stands for one. */
async function noLongerProved({ parts, session, account }: Owner): Promise<void> {
  const now = await findAccount(parts.database.kysely, account.id);
  if (now === undefined || hasSecondFactor(now)) return;
  session.loginAccount({ accountId: account.id, amr: ['pwd'] });
  await session.persist();
}

function codesPage(codes: readonly string[]): Page {
  return recoveryCodesPage(codes, { action: accountPath(), button: 'I have saved them', method: 'get' });
}
