import { Checkbox } from '../../components/forms/form.tsx';
import type { FieldIn, FieldsOf } from '../../components/forms/operation/fields.ts';
import { asSentence } from '../../components/forms/operation/values.ts';
import { RadioField } from '../../components/forms/radios.tsx';
import { LoadedPages } from '../../components/states.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';

/** The projects that may use a Git connection or a registry credential, as the API says it. */
interface Allowed {
  allProjects: boolean;
  projectIds: string[];
}

export const everyProject: Allowed = { allProjects: true, projectIds: [] };

/** For creating one and for changing it. The fields are two, so that a change of either is told by itself. */
export const allowedFields: FieldsOf<Allowed> = {
  allProjects: { label: 'Projects', control: All },
  projectIds: { label: 'The projects', control: (field) => <Chosen {...field} /> },
};

function All({ value = true, set }: FieldIn<boolean, Allowed>) {
  return (
    <RadioField
      label="Projects"
      value={value ? 'all' : 'some'}
      onChange={(next) => set(next === 'all' ? everyProject : { allProjects: false })}
      choices={[
        { value: 'all', label: 'All projects', hint: 'Those to come as well.' },
        { value: 'some', label: 'Some projects', hint: 'Services of others cannot name it in their source.' },
      ]}
    />
  );
}

function Chosen({ value = [], onChange, values, errors }: FieldIn<string[], Allowed>) {
  const pages = useList(usePlane().trpc.projects.list, {}, values.allProjects === false);
  if (values.allProjects !== false) return null;
  return (
    <LoadedPages pages={pages} empty={<p className="text-soft text-sm">There is no project yet.</p>}>
      {(projects) => (
        <fieldset className="max-h-[30vh] min-w-0 divide-y divide-line overflow-y-auto rounded-lg border border-soft-line bg-field">
          <legend className="sr-only">Projects that may use it</legend>
          {projects.map(({ id, name, slug }) => (
            <div key={id} className="px-3 py-2">
              <Checkbox
                label={name}
                hint={slug}
                checked={value.includes(id)}
                onChange={(isIn) => onChange(isIn ? [...value, id].sort() : value.filter((one) => one !== id))}
              />
            </div>
          ))}
          {errors.map(([place, message]) => (
            <p key={place} role="alert" className="px-3 py-2 text-fault text-sm">
              {asSentence(message)}
            </p>
          ))}
        </fieldset>
      )}
    </LoadedPages>
  );
}

/** In a table: "All projects", or their names. */
export function AllowedProjects({ allProjects, projectIds }: Allowed) {
  const { items = [] } = useList(usePlane().trpc.projects.list, {}, !allProjects);
  if (allProjects) return 'All projects';
  const names = projectIds.map((id) => items.find((one) => one.id === id)?.name);
  const known = names.filter((name) => name !== undefined).toSorted();
  const more = names.length - known.length;
  if (more > 0) known.push(more === 1 ? '1 project' : `${more} projects`);
  return known.join(', ') || <span className="text-soft">No project</span>;
}
