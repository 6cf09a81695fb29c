import { LinkExternalIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { Avatar } from '../../components/avatar.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Select } from '../../components/forms/form.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { personPlane } from '../../control-plane/plane.ts';
import { type Session, sessionQuery } from '../../control-plane/session.ts';
import { useSignOut } from '../../frame/menus/sign-out.ts';
import { chooseTheme, type Theme, useTheme } from '../../frame/theme.ts';
import { OwnOrganizations } from './own-organizations.tsx';
import { Sessions } from './sessions.tsx';

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

const themes: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** The signed-in person: profile, organizations, sessions and theme. */
export function Account() {
  // Sessions have no event stream, so they are refetched on each visit.
  const session = useQuery({ ...sessionQuery, refetchOnMount: 'always' }, personPlane.queryClient);
  const signOut = useSignOut();
  const theme = useTheme();
  return (
    <Page
      title="Your account"
      actions={
        <Button busy={signOut.sending} onClick={() => signOut.send(undefined)}>
          Sign out
        </Button>
      }
    >
      <Loaded query={session}>
        {({ user, organizations, sessions }) => (
          <>
            <Section title="You">
              <Person user={user} />
              <div className="border-line border-t">
                <Provider />
              </div>
            </Section>
            <OwnOrganizations organizations={organizations} />
            <Sessions sessions={sessions} />
            <Section title="Appearance">
              <Settings>
                <Setting title="Theme" about="In this browser.">
                  <div className="w-44">
                    <Select
                      label="Theme"
                      value={theme}
                      onChange={(value) => chooseTheme(themes.find((one) => one.value === value)?.value ?? 'system')}
                      choices={themes}
                    />
                  </div>
                </Setting>
              </Settings>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Person({ user: { name, email } }: { user: Session['user'] }) {
  return (
    <div className="flex items-center gap-3 px-4 py-3.5">
      <Avatar name={name} large />
      <div className="min-w-0">
        <p className="break-words font-medium">{name}</p>
        <p className="break-words text-soft text-sm">{email}</p>
      </div>
    </div>
  );
}
