import type { MikroORM } from '@mikro-orm/core';
import { type DatabaseSchema, EntityManager, SchemaGenerator } from '@mikro-orm/postgresql';
import { type ForeignKey, foreignKeyName, foreignKeys } from '../postgres/foreign-keys.ts';

/**
 * MikroORM's schema generator, told of our foreign keys: it knows only those of relations, which refer to primary keys,
 * while ours include the organization.
 */
export class TenantSchemaGenerator extends SchemaGenerator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension('@mikro-orm/schema-generator', () => {
      if (!(orm.em instanceof EntityManager)) throw new Error('The schema generator is for PostgreSQL only.');
      return new TenantSchemaGenerator(orm.em);
    });
  }

  override getTargetSchema(schema?: string, includeWildcardSchema?: boolean): DatabaseSchema {
    const target = super.getTargetSchema(schema, includeWildcardSchema);
    for (const key of foreignKeys) declare(target, key);
    return target;
  }
}

function declare(target: DatabaseSchema, key: ForeignKey): void {
  const table = target.getTable(key.table);
  const referenced = target.getTable(key.references);
  if (table === undefined || referenced === undefined) {
    throw new Error(
      `Foreign key ${foreignKeyName(key)} names a table that no entity has: correct it in db/<subject>/foreign-keys.ts or the descriptor of its actor.`,
    );
  }
  const constraintName = foreignKeyName(key);
  table.setForeignKeys({
    ...table.getForeignKeys(),
    [constraintName]: {
      constraintName,
      columnNames: [...key.columns],
      localTableName: table.getShortestName(false),
      referencedColumnNames: [...key.referenced],
      referencedTableName: referenced.getShortestName(false),
      ...(key.onDelete === undefined ? {} : { deleteRule: key.onDelete }),
    },
  });
}
