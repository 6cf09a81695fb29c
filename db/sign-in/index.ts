import { IdentitySchema } from './identity.ts';
import { SessionSchema } from './session.ts';
import { SignInAttemptSchema } from './sign-in-attempt.ts';
import { SignInLinkSchema } from './sign-in-link.ts';

export const signIn = [IdentitySchema, SessionSchema, SignInLinkSchema, SignInAttemptSchema] as const;
