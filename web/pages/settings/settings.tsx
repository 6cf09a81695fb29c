import { useQuery } from '@tanstack/react-query';
import { Copyable } from '../../components/copyable.tsx';
import { Setting, Settings as SettingList } from '../../components/forms/setting.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { DefaultCluster } from './default-cluster.tsx';
import { DeleteOrganization } from './delete-organization.tsx';
import { ApprovalExpiry, JoinTokens, Retention } from './lengths.tsx';
import { OrganizationName } from './organization-name.tsx';
import { RegistryCredentials } from './registry-credentials.tsx';
import { RequireMfa } from './require-mfa.tsx';

/** Settings of the whole organization. */
export function Settings() {
  const { trpc } = usePlane();
  const { id, role } = useMembership();
  const mayChange = useMay('admin');
  const organization = useQuery(trpc.organizations.get.queryOptions({ path: { id } }));
  return (
    <Page
      title="Settings"
      about={
        mayChange
          ? 'Settings of the whole organization.'
          : `Settings of the whole organization. Read-only: administrators can change them, and your role is ${role}.`
      }
    >
      <Loaded query={organization}>
        {(organization) => (
          <>
            <Section title="Organization">
              <SettingList>
                <OrganizationName organization={organization} mayChange={mayChange} />
                <Setting title="Slug" about="Used in addresses and on the command line. It cannot be changed.">
                  <Copyable text={organization.slug} label="slug" />
                </Setting>
                <Setting title="Id" about="Identifies the organization in the API.">
                  <Copyable text={organization.id} label="id" />
                </Setting>
                <Setting title="Created">
                  <Time at={organization.createdAt} />
                </Setting>
              </SettingList>
            </Section>
            <Section title="Clusters">
              <SettingList>
                <DefaultCluster organization={organization} mayChange={mayChange} />
                <JoinTokens mayChange={mayChange} />
              </SettingList>
            </Section>
            <Section title="Security">
              <SettingList>
                <RequireMfa organization={organization} mayChange={mayChange} />
                <ApprovalExpiry mayChange={mayChange} />
                <Retention mayChange={mayChange} />
              </SettingList>
            </Section>
            <RegistryCredentials />
            {role === 'owner' && <DeleteOrganization organization={organization} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
