import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerAccount } from './account/account.ts';
import { errorPage } from './error.ts';
import { answerInteraction } from './interaction.ts';
import type { PageParts } from './parts.ts';
import { NoForm, show, visitOf } from './visit.ts';

export type Pages = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>;

/** The pages that people meet at the provider. `false`: the address is none of them. */
export function createPages(parts: PageParts): Pages {
  return async (request, response, url) => {
    const [, mount, subject, ...rest] = url.pathname.split('/');
    if (mount !== 'oidc' || (subject !== 'interaction' && subject !== 'account')) return false;
    const visit = visitOf(request, response, url);
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) {
      response.setHeader('allow', 'GET, HEAD, POST');
      show(visit, { status: 405, page: errorPage('Method not allowed', 'This address answers only GET and POST.') });
      return true;
    }
    try {
      const [first, second, ...more] = rest;
      if (subject === 'interaction' && first && more.length === 0) {
        await answerInteraction(parts, visit, first, second);
      } else if (subject === 'account' && second === undefined) await answerAccount(parts, visit, first);
      else show(visit, { status: 404, page: errorPage('Page not found', 'This address does not exist.') });
    } catch (error) {
      if (!(error instanceof NoForm)) throw error;
      show(visit, { status: 400, page: errorPage('This did not work', `${error.message} Begin again.`) });
    }
    return true;
  };
}
