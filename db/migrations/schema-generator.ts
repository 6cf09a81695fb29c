import type { MikroORM, UpdateSchemaOptions } from '@mikro-orm/core';
import { DatabaseSchema, EntityManager, SchemaGenerator } from '@mikro-orm/postgresql';
import type { ForeignKey } from '../postgres/foreign-key.ts';
import { foreignKeyName, foreignKeys } from '../postgres/foreign-keys.ts';

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

  /**
   * Entities do not name partitions, which come and go by themselves: on the way back from the entities to the database,
   * every partitioned table would be made anew with those that it has at the moment.
   */
  override async getUpdateSchemaMigrationSQL(options: UpdateSchemaOptions<DatabaseSchema> = {}) {
    const { up } = await super.getUpdateSchemaMigrationSQL(options);
    if (up.trim() === '' || options.fromSchema !== undefined) return { up, down: '' };
    const fromSchema = await this.#withoutPartitions(options);
    const { down } = await super.getUpdateSchemaMigrationSQL({ ...options, fromSchema });
    return { up, down };
  }

  async #withoutPartitions({ schema }: UpdateSchemaOptions<DatabaseSchema>): Promise<DatabaseSchema> {
    const { connection, platform, config } = this;
    const { skipTables, skipViews } = this.options;
    const target = this.getTargetSchema(schema);
    const namespaces = [...target.getNamespaces()];
    const own = [connection, platform, config, schema, namespaces, undefined, skipTables, skipViews] as const;
    const there = await DatabaseSchema.create(...own);
    for (const table of there.getTables()) table.setPartitioning(target.getTable(table.name)?.getPartitioning());
    return there;
  }
}

function declare(target: DatabaseSchema, key: ForeignKey): void {
  const table = target.getTable(key.table);
  const referenced = target.getTable(key.references);
  if (table === undefined || referenced === undefined) {
    throw new Error(
      `Foreign key ${foreignKeyName(key)} names a table that no entity has: correct it in db/<subject>/table.ts or the descriptor of its actor.`,
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
