import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';

export interface SignedIn {
  accountId: string;
  /** How the person proved who it is (RFC 8176). */
  amr: string[];
}

/**
 * Ends the interaction: the browser returns to where it came from. Where another account was signed in, that session
 * ends here; the provider would otherwise ask the person to sign out first, by a page that needs a script.
 */
export async function finishSignIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  { accountId, amr }: SignedIn,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response);
  const { session } = interaction;
  if (session !== undefined && session.accountId !== accountId) {
    await (await provider.Session.findByUid(session.uid))?.destroy();
    delete interaction.session;
    await interaction.persist();
  }
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId, amr, remember: true } },
    { mergeWithLastSubmission: false },
  );
}
