import { effect } from '../../db/engine/effect.ts';
import type { Page } from '../../pages/page.ts';
import { type Account, findAccount, hasSecondFactor } from '../accounts/account.ts';
import { authorOf } from '../accounts/author.ts';
import { createAccount } from '../accounts/create-account.ts';
import { checkPassword } from '../accounts/passwords/check-password.ts';
import { countGuess, countNamelessGuess } from '../accounts/passwords/guesses.ts';
import { knownBrowserCookie } from '../accounts/passwords/known-browser.ts';
import { hashPassword } from '../accounts/passwords/password.ts';
import { resetPassword } from '../accounts/passwords/set-password.ts';
import { readPending, takePending } from '../accounts/pending.ts';
import { emailFault, nameFault, tidy } from '../accounts/person-rules.ts';
import { Refusal } from '../accounts/refusal.ts';
import { usePasskey, verifyNewPasskey } from '../accounts/second-factors/passkeys.ts';
import { useRecoveryCode } from '../accounts/second-factors/recovery-codes.ts';
import { type Added, addAuthenticatorApp, addPasskey } from '../accounts/second-factors/second-factors.ts';
import { useTotpCode } from '../accounts/second-factors/totp.ts';
import { finishSignIn } from '../provider/finish-sign-in.ts';
import { checkedPassword } from './checked-password.ts';
import { guessAt } from './guess.ts';
import { dropStep, forgetSession, keepStep, pathOf, type Situation } from './situation.ts';
import { recoveryCodesPage } from './step-pages.ts';
import { type Form, leadTo } from './visit.ts';

export interface Action {
  /** Which page shows what is wrong. */
  view: string | null;
  /** Whether the interaction has come that far; if not, its page is shown. */
  when(situation: Situation): boolean;
  /** The page to show; undefined if the visit is answered already. */
  work(situation: Situation, form: Form): Promise<Page | undefined>;
}

const signIn = ({ step, entry }: Situation) =>
  step === undefined && (entry.kind === 'sign-in' || (entry.kind === 'create' && entry.orSignIn));
const secondFactor = ({ step }: Situation) => step?.kind === 'second-factor';
const protect = ({ step }: Situation) => step?.kind === 'protect';

const wrongPasskey = 'This passkey is not known here, or the page was open for too long; try again.';
const wrongCode = 'This code is not right, or was used already; wait for the next one and try again.';

/** The forms of an interaction, by the last part of their address. */
export const actions: Readonly<Record<string, Action | undefined>> = {
  password: {
    view: 'sign-in',
    when: signIn,
    async work(situation, form) {
      const email = addressFor(situation) ?? tidy(form.text('email'));
      const fault = emailFault(email);
      if (fault !== undefined) throw new Refusal(fault, { field: 'email' });
      const { parts, visit } = situation;
      const guess = { ...guessAt(email, parts, visit), password: form.text('password') };
      const account = await checkPassword(parts.database.kysely, guess);
      if (account === undefined) throw new Refusal('The e-mail address or the password is wrong; try again.');
      if (hasSecondFactor(account)) await keepStep(situation, { kind: 'second-factor', accountId: account.id });
      else if (situation.attempt.invitation?.requireMfa !== true) return await finish(situation, account.id, ['pwd']);
      else await keepStep(situation, { kind: 'protect', accountId: account.id, amr: ['pwd'], required: true });
      return leadTo(visit, pathOf(situation));
    },
  },
  passkey: {
    view: 'sign-in',
    when: signIn,
    async work(situation, form) {
      const { parts, visit } = situation;
      await countNamelessGuess(parts.database.kysely, visit.address);
      const used = await passkeyOf(situation, form);
      if (used?.userVerified !== true) throw new Refusal(wrongPasskey);
      const account = await findAccount(parts.database.kysely, used.accountId);
      const email = addressFor(situation);
      if (account === undefined) throw new Refusal(wrongPasskey);
      if (email !== undefined && email.toLowerCase() !== account.email.toLowerCase()) {
        throw new Refusal(`This passkey belongs to another account; use the one of ${email}.`);
      }
      return await finish(situation, account.id, ['hwk', 'user', 'mfa']);
    },
  },
  code: {
    view: null,
    when: secondFactor,
    async work(situation, form) {
      const { parts, visit } = situation;
      const { id, email } = accountOf(situation);
      await countGuess(parts.database.kysely, guessAt(email, parts, visit));
      const right = await useTotpCode(parts.database.kysely, parts.keyring.identityKey(), id, form.text('code'));
      if (!right) throw new Refusal(wrongCode, { field: 'code' });
      return await finish(situation, id, ['pwd', 'otp', 'mfa']);
    },
  },
  'factor-passkey': {
    view: null,
    when: secondFactor,
    async work(situation, form) {
      const { id, email } = accountOf(situation);
      await countGuess(situation.parts.database.kysely, guessAt(email, situation.parts, situation.visit));
      const used = await passkeyOf(situation, form);
      if (used?.accountId !== id) throw new Refusal(wrongPasskey);
      return await finish(situation, id, ['pwd', 'hwk', 'mfa']);
    },
  },
  recovery: {
    view: 'recovery',
    when: secondFactor,
    async work(situation, form) {
      const { parts, visit } = situation;
      const account = accountOf(situation);
      await countGuess(parts.database.kysely, guessAt(account.email, parts, visit));
      const right = await effect(parts.database, authorOf(account, visit.address), async (effect) => {
        const used = await useRecoveryCode(effect.kysely, account.id, form.text('recovery'));
        if (used) effect.audit('account.recovery_code_used', { id: account.id, name: account.email });
        return used;
      });
      if (!right) {
        throw new Refusal('This recovery code is not right, or was used already; try another one.', {
          field: 'recovery',
        });
      }
      return await finish(situation, account.id, ['pwd', 'otp', 'mfa']);
    },
  },
  'start-over': {
    view: null,
    when: secondFactor,
    async work(situation) {
      await dropStep(situation);
      return leadTo(situation.visit, pathOf(situation));
    },
  },
  create: {
    view: null,
    when: ({ step, entry }) => step === undefined && entry.kind === 'create',
    async work(situation, form) {
      const { parts, visit, entry, attempt } = situation;
      const name = tidy(form.text('name'));
      const email = (entry.kind === 'create' ? entry.email : undefined) ?? tidy(form.text('email'));
      for (const [field, fault] of [
        ['name', nameFault(name)],
        ['email', emailFault(email)],
      ] as const) {
        if (fault !== undefined) throw new Refusal(fault, { field });
      }
      const password = checkedPassword(form, { name, email });
      await countNamelessGuess(parts.database.kysely, visit.address);
      const passwordHash = await hashPassword(password);
      const rights = { forFirstOwner: attempt.link?.kind === 'first-owner', forInvitation: attempt.invitation?.id };
      const { id: accountId } = await effect(parts.database, authorOf(undefined, visit.address), (effect) =>
        createAccount(effect, { name, email, passwordHash, ...rights }),
      );
      const required = attempt.invitation?.requireMfa === true;
      await keepStep(situation, { kind: 'protect', accountId, amr: ['pwd'], required });
      return leadTo(visit, pathOf(situation));
    },
  },
  reset: {
    view: null,
    when: ({ step, entry }) => step === undefined && entry.kind === 'reset',
    async work(situation, form) {
      const { parts, visit, entry } = situation;
      if (entry.kind !== 'reset') return leadTo(visit, pathOf(situation));
      const { account } = entry;
      const password = checkedPassword(form, account);
      await countNamelessGuess(parts.database.kysely, visit.address);
      const passwordHash = await hashPassword(password);
      await forgetSession(situation);
      await effect(parts.database, authorOf(account, visit.address), (effect) =>
        resetPassword(effect, account, passwordHash),
      );
      await keepStep(situation, { kind: 'protect', accountId: account.id, amr: ['pwd'], required: false });
      return leadTo(visit, pathOf(situation));
    },
  },
  'not-now': {
    view: null,
    when: ({ step }) => step?.kind === 'protect' && !step.required,
    work: (situation) => finish(situation, accountOf(situation).id, ['pwd']),
  },
  'add-app': {
    view: 'app',
    when: protect,
    async work(situation, form) {
      const { parts, visit, uid } = situation;
      const account = accountOf(situation);
      const key = parts.keyring.identityKey();
      await countGuess(parts.database.kysely, guessAt(account.email, parts, visit));
      const pending = await readPending(parts.database.kysely, key, `${uid}:totp`);
      if (typeof pending?.secret !== 'string') throw new Refusal('The page was open for too long; scan the new code.');
      const app = { secret: pending.secret, code: form.text('code') };
      const added = await effect(parts.database, authorOf(account, visit.address), (effect) =>
        addAuthenticatorApp(effect, key, account.id, app),
      );
      await takePending(parts.database.kysely, key, `${uid}:totp`);
      return await protectedBy(situation, added, ['pwd', 'otp', 'mfa']);
    },
  },
  'add-passkey': {
    view: null,
    when: protect,
    async work(situation, form) {
      const { parts, visit } = situation;
      const account = accountOf(situation);
      const challenge = await takeChallenge(situation);
      const { PUBLIC_URL } = parts.settings;
      const passkey =
        challenge === undefined ? undefined : await verifyNewPasskey(PUBLIC_URL, challenge, form.text('answer'));
      if (passkey === undefined) throw new Refusal('The passkey could not be added; try again, or choose the app.');
      const added = await effect(parts.database, authorOf(account, visit.address), (effect) =>
        addPasskey(effect, account.id, passkey, 'Passkey'),
      );
      return await protectedBy(situation, added, ['pwd', 'hwk', 'mfa']);
    },
  },
  finish: {
    view: null,
    when: ({ step }) => step?.kind === 'done',
    work: (situation) =>
      finish(situation, accountOf(situation).id, situation.step?.kind === 'done' ? situation.step.amr : ['pwd']),
  },
};

/** The only address that this sign-in is for, where there is one. */
function addressFor({ entry }: Situation): string | undefined {
  return entry.kind === 'sign-in' ? entry.email : undefined;
}

function accountOf({ account }: Situation): Account {
  if (account === undefined) throw new Refusal('This account was deleted; start the sign-in again.');
  return account;
}

async function finish({ parts, visit }: Situation, accountId: string, amr: string[]): Promise<undefined> {
  const account = await findAccount(parts.database.kysely, accountId);
  if (account !== undefined) {
    const secure = parts.settings.PUBLIC_URL.startsWith('https:');
    visit.response.setHeader('set-cookie', knownBrowserCookie(parts.keyring.identityKey(), account.email, { secure }));
  }
  await finishSignIn(parts.provider, visit.request, visit.response, { accountId, amr });
}

async function protectedBy(situation: Situation, added: Added, amr: string[]): Promise<Page | undefined> {
  const { id: accountId } = accountOf(situation);
  if (added.recoveryCodes === undefined) return await finish(situation, accountId, amr);
  await keepStep(situation, { kind: 'done', accountId, amr });
  return recoveryCodesPage(added.recoveryCodes, { action: pathOf(situation, 'finish'), button: 'I have saved them' });
}

async function passkeyOf(situation: Situation, form: Form) {
  const { database, settings } = situation.parts;
  const challenge = await takeChallenge(situation);
  if (challenge === undefined) return undefined;
  return await usePasskey(database.kysely, settings.PUBLIC_URL, challenge, form.text('answer'));
}

async function takeChallenge({ parts, uid }: Situation): Promise<string | undefined> {
  const kept = await takePending(parts.database.kysely, parts.keyring.identityKey(), `${uid}:challenge`);
  return typeof kept?.challenge === 'string' ? kept.challenge : undefined;
}
