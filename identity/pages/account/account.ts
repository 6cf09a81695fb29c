import { html } from '../../../pages/html.ts';
import { page } from '../../../pages/page.ts';
import { isSameOrigin } from '../../../pages/same-origin.ts';
import { findAccount } from '../../accounts/account.ts';
import { Refusal } from '../../accounts/refusal.ts';
import { errorPage } from '../error.ts';
import { accountPath, type Owner } from '../owner.ts';
import type { PageParts } from '../parts.ts';
import { leadTo, readForm, show, type Visit } from '../visit.ts';
import { accountActions } from './account-actions.ts';
import { accountAppPage } from './account-app-page.ts';
import { accountPage } from './account-page.ts';

/** The account page of the person who is signed in at the provider. */
export async function answerAccount(parts: PageParts, visit: Visit, action?: string): Promise<void> {
  const { request } = visit;
  const owner = await ownerOf(parts, visit);
  if (owner === undefined) return show(visit, { status: request.method === 'POST' ? 403 : 200, page: signedOut() });
  const view = visit.url.searchParams.get('view');
  if (request.method !== 'POST') {
    if (action !== undefined) return leadTo(visit, accountPath());
    const shown = view === 'app' ? await accountAppPage(owner) : await accountPage(owner, visit.url.searchParams);
    return show(visit, { page: page(shown) });
  }
  const act = action !== undefined && Object.hasOwn(accountActions, action) ? accountActions[action] : undefined;
  if (act === undefined)
    return show(visit, { status: 404, page: errorPage('Page not found', 'This address does not exist.') });
  if (!isSameOrigin(request.headers, parts.settings.PUBLIC_URL)) {
    const why = 'The form was not sent from a page of this installation; open your account page and try again.';
    return show(visit, { status: 403, page: errorPage('Refused', why) });
  }
  const form = await readForm(request);
  try {
    const shown = await act.work(owner, form);
    if (typeof shown === 'string') leadTo(visit, accountPath(`?done=${shown}`));
    else show(visit, { page: page(shown) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { address } = visit;
    parts.log.info(
      { address, action, account: owner.account.id, why: error.message },
      'A change of an account was refused',
    );
    const fault = { refusal: error, action: action ?? '' };
    show(visit, {
      status: error.retryAfterSeconds === undefined ? 422 : 429,
      retryAfterSeconds: error.retryAfterSeconds,
      page: page(
        act.view === 'app'
          ? await accountAppPage(owner, error)
          : await accountPage(owner, visit.url.searchParams, fault),
      ),
    });
  }
}

async function ownerOf(parts: PageParts, visit: Visit): Promise<Owner | undefined> {
  const { provider, database } = parts;
  const session = await provider.Session.get(provider.createContext(visit.request, visit.response));
  if (session.accountId === undefined) return undefined;
  const account = await findAccount(database.kysely, session.accountId);
  return account === undefined ? undefined : { parts, visit, session, account };
}

function signedOut(): string {
  return page({
    title: 'Your account',
    body: html`<h1>Your account</h1>
<p>Sign in to see it, and then come back to this page.</p>
<p class="actions"><a class="button" href="/sign-in">Sign in</a></p>`,
  });
}
