import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../components/copyable.tsx';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Select } from '../../components/forms/form.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { Setting, Settings as SettingList } from '../../components/forms/setting.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { periodText } from '../../components/times/durations.ts';
import { Time } from '../../components/times/time.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { useOperation } from '../../control-plane/operation.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { ApprovalExpiry, JoinTokens, Retention } from './lengths.tsx';
import { ObjectStores } from './object-stores.tsx';
import { RegistryCredentials } from './registry-credentials.tsx';

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
            <ObjectStores />
            {role === 'owner' && <DeleteOrganization organization={organization} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Deletes an organization; its owners can restore it during the retention. */
function DeleteOrganization({ organization: { id, name, slug } }: { organization: Organization }) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const hours = useQuery(trpc.organizations.getDeletedRetention.queryOptions({ path: { id } })).data?.hours;
  const clusters = useQuery({ ...trpc.clusters.list.queryOptions({ query: { limit: 200 } }), enabled: open }).data;
  const kept = hours === undefined ? 'for a while' : `for ${periodText(hours * 3_600_000)}`;
  const remove = useOperation(trpc.organizations.delete, {
    failed: `${name} could not be deleted`,
    succeeded: `${name} deleted`,
    quiet: true,
    done: () => {
      void navigate({ to: '/deleted-organizations' }).then(() => personPlane.queryClient.invalidateQueries());
    },
  });
  return (
    <Section title="Deletion">
      <Setting
        title="Delete the organization"
        about={`Nobody can access it from then on. Owners can restore it ${kept}; then it is purged.`}
      >
        <Button look="danger" onClick={() => setOpen(true)}>
          Delete organization
        </Button>
      </Setting>
      <DeleteDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${name}?`}
        confirm="Delete organization"
        typed={slug}
        affected={[{ what: 'Clusters that cannot be changed', names: clusters?.items.map((one) => one.name) ?? [] }]}
        change={remove}
        onConfirm={() => remove.send({ path: { id }, body: { confirmSlug: slug } })}
      >
        <ul className="flex list-disc flex-col gap-1 pl-4">
          <li>Members no longer see it, and its API tokens are refused at once.</li>
          <li>Workloads on its clusters keep running, but cannot be changed.</li>
          <li>Its slug becomes available to others.</li>
          <li>Owners can restore it {kept}, with all that is in it. After that it is purged.</li>
        </ul>
      </DeleteDialog>
    </Section>
  );
}

/** Whether members must sign in with a second factor. Members it would lock out are named before the change. */
function RequireMfa({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id, requireMfa } = organization;
  const [open, setOpen] = useState(false);
  const change = useOperation(trpc.organizations.update, {
    failed: 'The second factor could not be switched',
    succeeded: ({ requireMfa }) => (requireMfa ? 'Second factor required' : 'Second factor no longer required'),
    quiet: true,
    done: () => setOpen(false),
  });
  const send = (to: { requireMfa: boolean; confirmMembersWithoutMfa?: true | undefined }) =>
    change.send({ path: { id }, body: { ...to, was: { requireMfa } } });
  const lockedOut = change.problem?.fields['body.confirmMembersWithoutMfa'] === undefined ? undefined : change.problem;
  const close = () => {
    setOpen(false);
    change.reset();
  };
  return (
    <Setting
      title="Second factor"
      about="When it is required, members sign in with a passkey or an authenticator app as well as a password."
    >
      <span>{requireMfa ? 'Required of everybody' : 'Not required'}</span>
      {mayChange && (
        <Button small onClick={() => setOpen(true)}>
          {requireMfa ? 'No longer require it' : 'Require it'}
        </Button>
      )}
      {requireMfa ? (
        <Confirm
          open={open}
          onClose={close}
          title="No longer require a second factor?"
          confirm="No longer require it"
          change={change}
          onConfirm={() => send({ requireMfa: false })}
        >
          A password alone is enough again for members who set up nothing else.
        </Confirm>
      ) : (
        <Confirm
          open={open}
          onClose={close}
          title={lockedOut === undefined ? 'Require a second factor of everybody?' : 'Lock these members out for now?'}
          confirm={lockedOut === undefined ? 'Require it' : 'Require it all the same'}
          change={lockedOut === undefined ? change : { sending: change.sending, problem: undefined }}
          onConfirm={() => send({ requireMfa: true, confirmMembersWithoutMfa: lockedOut && true })}
        >
          {lockedOut?.detail ??
            'Sessions that started without one are refused at once. If that affects other members, you see who they are before anything changes. API tokens keep working.'}
        </Confirm>
      )}
    </Setting>
  );
}

type Organization = Answers['organizations']['get'];
