import type { QueryKey } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { useBody } from '../../../control-plane/bodies.ts';
import type { Body } from '../../../control-plane/body.ts';
import { useOperation } from '../../../control-plane/operation.ts';
import { nameOf } from '../../../control-plane/operation-name.ts';
import { SubmitOrCancel } from '../../dialogs/dialog.tsx';
import { ChangedMeanwhile } from '../changed-meanwhile.tsx';
import { Form } from '../form.tsx';
import type { BodyOf, FieldsOf, FieldWords, OperationOf, PathOf, QueryOf, Some } from './fields.ts';
import { SchemaField } from './schema-field.tsx';
import { bodyOf, errorsAt, isRequired, isSame, labelOf, startOf, type Values } from './values.ts';

export interface OperationFormProps<Input, Output> {
  operation: OperationOf<Input, Output>;
  /** Names the thing that is changed, if the address does. */
  path?: PathOf<Input>;
  query?: QueryOf<Input>;
  /** Fields in the order in which they are shown. */
  fields: FieldsOf<BodyOf<Input>>;
  /** Values of a new thing to begin with. */
  start?: Some<BodyOf<Input>>;
  /** The thing as it is: only changes are sent. */
  current?: Some<BodyOf<Input>>;
  submit: string;
  /** Announced to screen readers. */
  succeeded: string | ((output: Output) => string);
  done?: (output: Output) => void;
  onCancel?: (() => void) | undefined;
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
  /** Told whenever the form begins or ceases to hold something that is not saved. */
  onDirty?: (dirty: boolean) => void;
  /** Text between the fields and the buttons. */
  children?: ReactNode;
}

/** A form made from what its operation takes. Rendered once the schema is there. */
export function OperationForm<Input, Output>(props: OperationFormProps<Input, Output>) {
  const name = nameOf(props.operation);
  const body = useBody(name);
  return body !== undefined && <Filled {...(props as unknown as Untyped)} name={name} body={body} />;
}

type Words = FieldWords<unknown, Values>;
type Untyped = Omit<OperationFormProps<unknown, unknown>, 'fields' | 'start' | 'current'> & {
  fields: Readonly<Record<string, Words>>;
  start?: Values;
  current?: Values;
};

function Filled({ name, body, fields, start = {}, current, ...form }: Untyped & { name: string; body: Body }) {
  const names = Object.keys(fields);
  const [begun] = useState(() => startOf(names, body, current ?? start));
  // The thing as the person saw it, not as it becomes meanwhile: a change of somebody else is told, not undone.
  const [saw, setSaw] = useState(current);
  const [own, setOwn] = useState<Values>({});
  const values = withFollowers({ ...begun, ...own }, own, fields);
  const set = (some: Values) => setOwn((before) => ({ ...before, ...some }));
  const { path, query, onDirty, onCancel, touches = [] } = form;
  const change = useOperation(form.operation as OperationOf<object, unknown>, {
    failed: `${form.submit}: failed`,
    quiet: true,
    secret: body.secret,
    succeeded: form.succeeded,
    done: (output) => form.done?.(output),
    touches,
  });
  const send = (sent: Values) => change.send({ path, query, body: names.length === 0 ? undefined : sent });
  const dirty = !isSame(bodyOf(values, body, saw), bodyOf(withFollowers(begun, {}, fields), body, saw));
  useEffect(() => onDirty?.(dirty), [dirty, onDirty]);
  const submit = (was = saw) => {
    const sent = bodyOf(values, body, was);
    if (was === undefined) send(sent);
    else if (Object.keys(sent).length === 0) onCancel?.();
    else send(body.fields.was === undefined ? sent : { ...sent, was: only(was, Object.keys(sent)) });
  };
  const { problem } = change;
  const theirs: Values = Object.fromEntries((problem?.meanwhile ?? []).map(({ field, value }) => [field, value]));
  const now = { ...saw, ...theirs };
  const places = names.flatMap((field) => [field, ...errorsAt(field, problem?.fields ?? {}).map(([place]) => place)]);
  const first = names.find((field) => fields[field]?.control === undefined && body.fields[field]?.enum === undefined);
  return (
    <Form problem={problem} places={places.map((place) => place.replace(/^body\./, ''))} onSubmit={() => submit()}>
      <ChangedMeanwhile
        problem={problem}
        words={wordsOf(fields)}
        onKeep={() => {
          setSaw(now);
          submit(now);
        }}
        onTake={() => {
          setSaw(now);
          set(theirs);
          change.reset();
          if (Object.keys(bodyOf({ ...values, ...theirs }, body, now)).length === 0) onCancel?.();
        }}
      />
      {names.map((field) => {
        const words = fields[field] ?? {};
        const rule = body.fields[field];
        if (rule === undefined) throw new Error(`The body of ${name} has no field ${field}.`);
        const shared = { value: values[field], onChange: (value: unknown) => set({ [field]: value }) };
        if (words.control !== undefined) {
          const errors = errorsAt(field, problem?.fields ?? {});
          return <Fragment key={field}>{words.control({ ...shared, values, set, errors })}</Fragment>;
        }
        const required = isRequired(rule, current !== undefined);
        return (
          <SchemaField
            key={field}
            {...shared}
            name={field}
            rule={rule}
            words={words as Omit<FieldWords<string, never>, 'control' | 'follows' | 'theirs'>}
            required={required}
            first={field === first}
          />
        );
      })}
      {form.children}
      <SubmitOrCancel onCancel={onCancel} busy={change.sending}>
        {form.submit}
      </SubmitOrCancel>
    </Form>
  );
}

function only(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

function wordsOf(fields: Readonly<Record<string, Words>>) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { label = labelOf(name), theirs }]) => [
      name,
      { field: `the ${label.toLowerCase()}`, value: theirs },
    ]),
  );
}

/** Fields that follow others, as long as nobody has changed them. */
function withFollowers(values: Values, own: Values, fields: Readonly<Record<string, Words>>): Values {
  const followers = Object.entries(fields).filter(([field, { follows }]) => follows !== undefined && !(field in own));
  return { ...values, ...Object.fromEntries(followers.map(([field, { follows }]) => [field, follows?.(values)])) };
}
