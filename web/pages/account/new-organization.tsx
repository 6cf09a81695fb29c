import { useNavigate } from '@tanstack/react-router';
import { reservedSlugs, slugOf } from '../../../domain/slug.ts';
import { DiscardQuestion } from '../../components/dialogs/discard-question.tsx';
import { useDismissal } from '../../components/dialogs/use-dismissal.ts';
import { TextField } from '../../components/forms/form.tsx';
import { OperationForm } from '../../components/forms/operation/operation-form.tsx';
import { useUnsaved } from '../../components/forms/operation/use-unsaved.ts';
import { Card, Page } from '../../components/page.tsx';
import { personPlane } from '../../control-plane/plane.ts';
import { useSession } from '../../control-plane/session.ts';

/** Creates an organization with the person as its owner, and opens it. */
export function NewOrganization() {
  const first = useSession()?.organizations.length === 0;
  const navigate = useNavigate();
  const unsaved = useUnsaved();
  const { asking, keep, discard } = useDismissal(true, () => undefined, unsaved.is);
  const open = async ({ slug }: { slug: string }) => {
    unsaved.set(false);
    // The route checks membership, so the session is refetched first.
    await personPlane.queryClient.invalidateQueries();
    void navigate({ to: '/$organization', params: { organization: slug } });
  };
  return (
    <Page
      title={first ? 'Create your organization' : 'New organization'}
      about="An organization owns clusters, members and everything else. You become its owner and can invite others."
    >
      <div className="max-w-lg">
        <Card>
          <div className="p-5 max-sm:p-4">
            <OperationForm
              operation={personPlane.trpc.organizations.create}
              fields={{
                name: {},
                slug: {
                  follows: ({ name = '' }) => slugOf(name),
                  control: ({ value = '', onChange }) => <Slug value={value} onChange={onChange} />,
                },
              }}
              submit="Create organization"
              succeeded={({ name }) => `${name} created`}
              done={open}
              onDirty={unsaved.set}
              onCancel={first ? undefined : () => history.back()}
            />
          </div>
        </Card>
      </div>
      <DiscardQuestion open={asking} onKeep={keep} onDiscard={discard} />
    </Page>
  );
}

function Slug({ value, onChange }: { value: string; onChange: (slug: string) => void }) {
  return (
    <TextField
      name="slug"
      label="Slug"
      mono
      hint={
        reservedSlugs.has(value) ? (
          <span className="text-fault">/{value} is an address of the control plane; choose another slug.</span>
        ) : (
          `Used in addresses, such as ${location.host}/${value || 'acme'}. It cannot be changed later.`
        )
      }
      value={value}
      onChange={(text) => onChange(text.toLowerCase())}
      required
      maxLength={63}
    />
  );
}
