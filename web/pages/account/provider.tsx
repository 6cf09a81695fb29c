import { LinkExternalIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { Setting } from '../../components/forms/setting.tsx';
import { personPlane } from '../../control-plane/plane.ts';

/** The sign-in provider, which owns password, passkeys and second factor. The built-in one has a page for them. */
export function Provider() {
  const config = useQuery(personPlane.trpc.auth.config.queryOptions(), personPlane.queryClient).data;
  if (config === undefined) return null;
  const builtIn = config.issuer === `${location.origin}/oidc`;
  return (
    <Setting
      title="Signing in"
      about={
        builtIn
          ? 'Your password, your passkeys and your second factor.'
          : `You sign in with ${config.providerName}; your password and your second factor are there.`
      }
    >
      {builtIn && (
        <a
          href="/oidc/account"
          className="inline-flex h-8.5 items-center gap-1.5 rounded-md border border-soft-line bg-card px-3 font-medium text-base shadow-card hover:bg-hover max-sm:h-10"
        >
          Password and second factor
          <LinkExternalIcon />
        </a>
      )}
    </Setting>
  );
}
