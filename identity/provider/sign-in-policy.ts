import type { Kysely } from 'kysely';
import { interactionPolicy } from 'oidc-provider';
import type { Tables } from '../../db/postgres/tables.ts';
import { attemptOfState } from '../../db/sign-in/sign-in-attempts.ts';

const { Check, base } = interactionPolicy;

/**
 * When a person is asked to sign in, although the browser may be known: also for a link or an invitation, which make or
 * change an account, and when the account is gone. Consent is never asked for: the only client is Ballast itself.
 */
export function signInPolicy(kysely: Kysely<Tables>): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy.remove('consent');
  policy.get('login')?.checks.add(
    new Check('attempt', 'A link or an invitation wants the person to be asked.', 'login_required', async (ctx) => {
      const { result, params } = ctx.oidc;
      if (result?.login !== undefined || typeof params?.state !== 'string') return Check.NO_NEED_TO_PROMPT;
      const attempt = await attemptOfState(kysely, params.state);
      return attempt?.link === undefined && attempt?.invitation === undefined
        ? Check.NO_NEED_TO_PROMPT
        : Check.REQUEST_PROMPT;
    }),
  );
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'The account is not there any more.', 'login_required', ({ oidc }) =>
        oidc.session?.accountId !== undefined && oidc.account === undefined
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
