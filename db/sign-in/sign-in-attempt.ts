import { defineEntity, p } from '@mikro-orm/core';

/**
 * A sign-in that has begun: the browser is at the provider. State, nonce and the code verifier all follow from the secret
 * in the browser's `svc_oidc` cookie; here are only hashes, so that whoever reads this can finish nobody's sign-in.
 */
export const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  tableName: 'sign_in_attempt',
  properties: {
    id: p.uuid().primary(),
    browserHash: p.blob().$type<Buffer>().unique('sign_in_attempt_browser_hash_unique'),
    stateHash: p.blob().$type<Buffer>().unique('sign_in_attempt_state_hash_unique'),
    returnTo: p.text(),
    userAgent: p.text().nullable(),
    /** The used link that it goes back to: it may make or change an account. */
    signInLinkId: p.uuid().nullable(),
    /** The invitation that is being accepted: it may make an account. */
    invitationId: p.uuid().nullable(),
    /** The one interaction at the built-in provider that may use the link or the invitation. */
    interactionHash: p.blob().$type<Buffer>().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'sign_in_attempt_expires_at_index', properties: ['expiresAt'] },
    { name: 'sign_in_attempt_sign_in_link_id_index', properties: ['signInLinkId'] },
    { name: 'sign_in_attempt_invitation_id_index', properties: ['invitationId'] },
  ],
});

export class SignInAttempt extends SignInAttemptSchema.class {}
SignInAttemptSchema.setClass(SignInAttempt);
