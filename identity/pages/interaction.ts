import { errors } from 'oidc-provider';
import { type Page, page } from '../../pages/page.ts';
import { isSameOrigin } from '../../pages/same-origin.ts';
import { Refusal } from '../accounts/refusal.ts';
import { createPage, type Fault, resetPage, signInPage } from './entry-pages.ts';
import { errorPage } from './error.ts';
import { actions } from './interaction-actions.ts';
import type { PageParts } from './parts.ts';
import { pathOf, type Situation, situationOf } from './situation.ts';
import { addAppPage, goOnPage, protectPage, secondFactorPage } from './step-pages.ts';
import { leadTo, readForm, show, type Visit } from './visit.ts';

/** The pages of one sign-in: `/oidc/interaction/<uid>` shows where it stands, a POST beneath it goes a step on. */
export async function answerInteraction(parts: PageParts, visit: Visit, uid: string, action?: string): Promise<void> {
  const { request, response } = visit;
  const interaction = await parts.provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  const known = interaction?.uid === uid ? interaction : undefined;
  const situation = known === undefined ? undefined : await situationOf(parts, visit, known);
  if (situation === undefined) return over(visit);
  const posted = request.method === 'POST';
  if (!posted && action !== undefined) return leadTo(visit, pathOf(situation));
  if (!posted) return show(visit, { page: page(await pageOf(situation, visit.url.searchParams.get('view'))) });
  const act = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (act === undefined)
    return show(visit, { status: 404, page: errorPage('Page not found', 'This address does not exist.') });
  if (!isSameOrigin(request.headers, parts.settings.PUBLIC_URL)) {
    const why = 'The form was not sent from a page of this installation; start the sign-in again.';
    return show(visit, { status: 403, page: errorPage('Refused', why) });
  }
  const form = await readForm(request);
  if (!act.when(situation)) return leadTo(visit, pathOf(situation));
  try {
    const shown = await act.work(situation, form);
    if (shown !== undefined) show(visit, { page: page(shown) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { address } = visit;
    parts.log.info(
      { address, action, account: situation.account?.id, why: error.message },
      'A step of a sign-in was refused',
    );
    const typed = { email: form.text('email'), name: form.text('name') };
    show(visit, {
      status: error.retryAfterSeconds === undefined ? 422 : 429,
      retryAfterSeconds: error.retryAfterSeconds,
      page: page(await pageOf(situation, act.view, { refusal: error, typed })),
    });
  }
}

async function pageOf(situation: Situation, view: string | null, fault?: Fault): Promise<Page> {
  const { step, entry, account } = situation;
  if (step !== undefined && account !== undefined) {
    if (step.kind === 'second-factor') {
      return await secondFactorPage(situation, account, view === 'recovery' ? 'recovery' : undefined, fault);
    }
    if (step.kind === 'protect') {
      return view === 'app'
        ? await addAppPage(situation, account, fault)
        : await protectPage(situation, step, account, fault);
    }
    return goOnPage(situation);
  }
  if (entry.kind === 'reset') return resetPage(situation, entry, fault);
  if (entry.kind === 'create' && !(entry.orSignIn && view === 'sign-in')) return createPage(situation, entry, fault);
  return await signInPage(situation, fault);
}

function over(visit: Visit): void {
  const why = 'It was left waiting for too long, was finished already, or was started in another browser; start again.';
  show(visit, { status: 400, page: errorPage('This sign-in has expired', why) });
}
