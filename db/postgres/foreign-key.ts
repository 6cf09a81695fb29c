/**
 * A foreign key, in the database's own names. A reference between tables of an organization includes `organization_id`, so
 * that no row can point into another tenant. Entities hold plain ids: the schema generator gets the constraints from
 * db/postgres/foreign-keys.ts (see db/migrations/schema-generator.ts).
 */
export interface ForeignKey {
  table: string;
  columns: readonly string[];
  references: string;
  referenced: readonly string[];
  /** Effect on this row of deleting the referenced one; without it, that deletion is refused. */
  onDelete?: 'cascade';
}

/** A row of an organization that names another one of it, by that one's id. */
export function toRow(table: string, column: string, references: string): ForeignKey {
  return { table, columns: ['organization_id', column], references, referenced: ['organization_id', 'id'] };
}

/** The same, of a row that is deleted together with the named one. */
export function partOf(table: string, column: string, references: string): ForeignKey {
  return { ...toRow(table, column, references), onDelete: 'cascade' };
}

export function toOrganization(table: string): ForeignKey {
  return { table, columns: ['organization_id'], references: 'organization', referenced: ['id'] };
}
