import { formAction } from '../../components/actions/form-action.tsx';
import { tokenRoleChoices } from '../../components/forms/roles.tsx';
import type { Times } from '../../components/times/times.ts';
import type { Plane } from '../../control-plane/plane.ts';
import { ExpiryField, startOfExpiry } from './expiry-field.tsx';
import { TokenSecret } from './token-secret.tsx';

/** Creates a token, then shows its secret once. */
export const makeToken = (trpc: Plane['trpc'], times: Times) =>
  formAction({
    label: 'Create a token',
    operation: trpc.apiTokens.create,
    start: { role: 'viewer', expiresAt: startOfExpiry(times) },
    fields: {
      name: { hint: 'What the token is for, so that you recognize it later.' },
      role: { choices: tokenRoleChoices },
      expiresAt: { control: ({ onChange }) => <ExpiryField onChange={onChange} /> },
    },
    title: 'Create an API token',
    about: 'For programs and scripts that call the API.',
    submit: 'Create token',
    succeeded: 'Token created',
    after: {
      title: ({ token }) => `The token ${token.name}`,
      content: (made, close) => <TokenSecret made={made} onClose={close} />,
    },
  });
