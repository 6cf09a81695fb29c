import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  DeleteQueryNode,
  IdentifierNode,
  InsertQueryNode,
  type JoinNode,
  type KyselyPlugin,
  type OnConflictNode,
  OnNode,
  type OperationNode,
  OperatorNode,
  ParensNode,
  PrimitiveValueListNode,
  RawNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
  WhereNode,
} from 'kysely';
import { tenantTables } from './tenant-tables.ts';

const column = 'organization_id';
const tables: ReadonlySet<string> = new Set(tenantTables);

/**
 * Adds the organization to every table of a tenant in a statement, in subqueries too: as a condition where rows are
 * read, changed, joined or deleted, as a value where they are inserted. A form that it cannot complete is refused.
 */
export function tenantConditions(organizationId: string): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (RawNode.is(node)) throw outside('a statement of raw SQL');
      return completed(node, organizationId);
    },
    transformResult: async ({ result }) => result,
  };
}

/** Kinds that hold no statement inside. Values come from outside, besides, and may look like nodes. */
const leaves: ReadonlySet<string> = new Set([
  'ColumnNode',
  'IdentifierNode',
  'OperatorNode',
  'PrimitiveValueListNode',
  'ReferenceNode',
  'SchemableIdentifierNode',
  'SelectAllNode',
  'TableNode',
  'ValueNode',
]);

/** The same node with its parts completed, and itself. Nodes that need nothing stay the same objects. */
function completed<Node extends OperationNode>(node: Node, organizationId: string): Node {
  if (leaves.has(node.kind)) return node;
  let changed: Node | undefined;
  for (const name in node) {
    const part = node[name];
    const next = completedPart(part, organizationId);
    if (next !== part) changed = Object.assign(changed ?? { ...node }, { [name]: next });
  }
  return withTenant(changed ?? node, organizationId);
}

function completedPart(part: unknown, organizationId: string): unknown {
  if (isNode(part)) return completed(part, organizationId);
  if (!Array.isArray(part)) return part;
  const next = part.map((one) => completedPart(one, organizationId));
  return next.some((one, index) => one !== part[index]) ? next : part;
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}

function withTenant<Node extends OperationNode>(node: Node, organizationId: string): Node {
  if (SelectQueryNode.is(node)) return limited(node, node.from?.froms ?? [], organizationId);
  if (UpdateQueryNode.is(node)) {
    return limited(node, [...(node.table ? [node.table] : []), ...(node.from?.froms ?? [])], organizationId);
  }
  if (DeleteQueryNode.is(node)) {
    return limited(node, [...node.from.froms, ...(node.using?.tables ?? [])], organizationId);
  }
  if (InsertQueryNode.is(node)) return filled(node, organizationId);
  if (node.kind === 'MergeQueryNode') throw outside('a merge');
  if (RawNode.is(node) && node.parameters.some((part) => namesOfTenantTables(part).length > 0)) {
    throw outside('a table inside raw SQL');
  }
  return node;
}

type Limited = SelectQueryNode | UpdateQueryNode | DeleteQueryNode;

function limited<Node extends Limited>(node: Node, from: readonly OperationNode[], organizationId: string): Node {
  const names = from.flatMap(namesOfTenantTables);
  const joins = node.joins?.map((join) => joined(join, organizationId));
  return {
    ...node,
    ...(joins && { joins }),
    ...(names.length > 0 && { where: WhereNode.create(both(node.where?.where, names, organizationId)) }),
  };
}

function joined(join: JoinNode, organizationId: string): JoinNode {
  const names = namesOfTenantTables(join.table);
  if (names.length === 0) return join;
  // The others keep rows for which their condition is false, or have none.
  if (join.joinType !== 'InnerJoin' && join.joinType !== 'LeftJoin') throw outside(`a ${join.joinType} of ${names[0]}`);
  return { ...join, on: OnNode.create(both(join.on?.on, names, organizationId)) };
}

/** In parentheses, since a condition of raw SQL may hold an `or`, behind which no other would count. */
function both(own: OperationNode | undefined, names: readonly string[], organizationId: string): OperationNode {
  const conditions = names.map((name) => ofOrganization(name, organizationId));
  return [...(own ? [ParensNode.create(own)] : []), ...conditions].reduce((left, right) => AndNode.create(left, right));
}

function filled<Node extends InsertQueryNode>(node: Node, organizationId: string): Node {
  const [name] = node.into ? namesOfTenantTables(node.into) : [];
  if (name === undefined) return node;
  if (!node.columns || !node.values || !ValuesNode.is(node.values))
    throw outside(`an insert into ${name} without values`);
  const columns = [...node.columns, ColumnNode.create(column)];
  const rows = node.values.values.map((row) =>
    PrimitiveValueListNode.is(row)
      ? PrimitiveValueListNode.create([...row.values, organizationId])
      : ValueListNode.create([...row.values, ValueNode.create(organizationId)]),
  );
  const { onConflict } = node;
  return {
    ...node,
    columns,
    values: ValuesNode.create(rows),
    ...(onConflict?.updates && { onConflict: ownRow(onConflict, name, organizationId) }),
  };
}

/** The row in the way may be another organization's: that one stays as it is. */
function ownRow(node: OnConflictNode, name: string, organizationId: string): OnConflictNode {
  return { ...node, updateWhere: WhereNode.create(both(node.updateWhere?.where, [name], organizationId)) };
}

/** The names by which a statement knows the tenant tables of a part of its FROM. */
function namesOfTenantTables(part: OperationNode): string[] {
  if (TableNode.is(part)) {
    const { name } = part.table.identifier;
    return tables.has(name) ? [name] : [];
  }
  if (AliasNode.is(part) && TableNode.is(part.node)) {
    if (!tables.has(part.node.table.identifier.name)) return [];
    if (!IdentifierNode.is(part.alias)) throw outside('an alias of raw SQL');
    return [part.alias.name];
  }
  return part.kind === 'ListNode' && 'items' in part && Array.isArray(part.items)
    ? part.items.flatMap(namesOfTenantTables)
    : [];
}

function ofOrganization(name: string, organizationId: string): OperationNode {
  return BinaryOperationNode.create(
    ReferenceNode.create(ColumnNode.create(column), TableNode.create(name)),
    OperatorNode.create('='),
    ValueNode.create(organizationId),
  );
}

function outside(form: string): Error {
  return new Error(
    `The guard of tenants cannot complete ${form}: write it with acrossTenants() and name ${column} in it yourself.`,
  );
}
