import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../components/copyable.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Select } from '../../components/forms/form.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { Setting, Settings as SettingList } from '../../components/forms/setting.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/times/time.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { ApprovalExpiry, JoinTokens, Retention } from './lengths.tsx';
import type { Organization } from './organization.ts';
import { RegistryCredentials } from './registry-credentials.tsx';
import { RequireMfa } from './require-mfa.tsx';

export function DefaultCluster({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id, defaultClusterId } = organization;
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const choose = useFieldChange({
    operation: trpc.organizations.update,
    path: { id },
    field: 'defaultClusterId',
    value: defaultClusterId ?? null,
    word: (theirs) => clusters.find((cluster) => cluster.id === theirs)?.name ?? 'none',
    failed: 'The default cluster could not be changed',
    succeeded: 'Default cluster changed',
    shownBy: [trpc.organizations.get.queryKey({ path: { id } })],
  });
  const chosen = clusters.find((cluster) => cluster.id === defaultClusterId);
  const choices = clusters
    .filter((cluster) => cluster.status !== 'deleting' || cluster === chosen)
    .map(({ id: value, name: label }) => ({ value, label }));
  return (
    <Setting title="Default cluster" about="Used where no cluster is named.">
      {mayChange ? (
        <div className="w-52 max-w-full">
          <Select
            label="Default cluster"
            value={defaultClusterId ?? ''}
            onChange={(value) => choose.send(value === '' ? null : value)}
            choices={[{ value: '', label: 'None' }, ...choices]}
          />
        </div>
      ) : chosen === undefined ? (
        'None'
      ) : (
        <Link
          from="/$organization"
          to="/$organization/clusters/$cluster"
          params={(params) => ({ ...params, cluster: chosen.id })}
          className="rounded-sm underline decoration-field-line underline-offset-3"
        >
          {chosen.name}
        </Link>
      )}
    </Setting>
  );
}

export function OrganizationName({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { trpc } = usePlane();
  const [open, setOpen] = useState(false);
  const { id, name } = organization;
  return (
    <Setting title="Name">
      <span className="min-w-0 break-words">{name}</span>
      {mayChange && (
        <Button small onClick={() => setOpen(true)} aria-label="Change the name">
          Change
        </Button>
      )}
      <FormDialog
        operation={trpc.organizations.update}
        path={{ id }}
        current={{ name }}
        fields={{ name: {} }}
        title="Change the name"
        submit="Save"
        succeeded="Name saved"
        // The sidebar shows the name, too.
        done={() => void personPlane.queryClient.invalidateQueries()}
        open={open}
        onClose={() => setOpen(false)}
      />
    </Setting>
  );
}

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
