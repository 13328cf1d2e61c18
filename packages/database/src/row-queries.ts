import { type Codecs, columnsOf, given, integer, marksOf, nullable, query, uuid } from './query.ts'

const settingEach = (row: Codecs, valueOf: (column: string, name: string) => string): string =>
  Object.entries(row)
    .map(([name, codec]) => {
      const column = columnsOf({ [name]: codec })
      return `${column} = ${valueOf(column, name)}`
    })
    .join(', ')

type PageOf<F> = { readonly filter: F; readonly where: string }

const insertsInto = <K extends Codecs>(name: string, key: K) => ({
  /** Inserts a row whose key is new. */
  insert: <C extends Codecs>(queryName: string, others: C) =>
    query(queryName, { parameters: { ...key, ...others }, text: `insert into ${name} (:fields) values (:values)` }),
  /** Inserts rows; with `isOnce`, those that are not there already. */
  insertAll: <R extends Codecs>(queryName: string, rows: R, { isOnce = false } = {}) =>
    query(queryName, {
      rows,
      text: `insert into ${name} (:columns) select :columns from :rows${isOnce ? ' on conflict do nothing' : ''}`,
    }),
  /** Inserts rows that all have the key. */
  insertOfKey: <R extends Codecs>(queryName: string, rows: R) =>
    query(queryName, {
      parameters: key,
      rows,
      text: `insert into ${name} (${columnsOf(key)}, :columns) select ${marksOf(key)}, :columns from :rows`,
    }),
  /** Inserts a row unless one has the key; returns the key of the one that it has inserted. */
  insertNew: <C extends Codecs>(queryName: string, others: C) =>
    query(queryName, {
      parameters: { ...key, ...others },
      row: key,
      text: `insert into ${name} (:fields) values (:values) on conflict (${columnsOf(key)}) do nothing
        returning ${columnsOf(key)}`,
    }),
  /** Inserts a row, or sets the other columns of the one that has the key. */
  upsert: <C extends Codecs>(queryName: string, others: C) =>
    query(queryName, {
      parameters: { ...key, ...others },
      text: `insert into ${name} (:fields) values (:values) on conflict (${columnsOf(key)})
        do update set ${settingEach(others, (column) => `excluded.${column}`)}`,
    }),
})

/** Declares the queries on single rows of a table: its name, a key and columns say them whole. */
export const table = <K extends Codecs>(name: string, key: K) => {
  const ofKey = `where ${given(key)}`
  const find = <R extends Codecs>(queryName: string, row: R) =>
    query(queryName, { parameters: key, row, text: `select :row from ${name} ${ofKey}` })
  const lock = <R extends Codecs>(queryName: string, row: R) =>
    query(queryName, { parameters: key, row, text: `select :row from ${name} ${ofKey} for update` })
  return {
    ...insertsInto(name, key),
    /** The row of the key. */
    find,
    /** The same, which locks it until the transaction ends. */
    lock,
    /** Both, as `find_…` and `lock_…`. */
    findAndLock: <R extends Codecs>(noun: string, row: R) => ({
      find: find(`find_${noun}`, row),
      lock: lock(`lock_${noun}`, row),
    }),
    /** The rows of the key; what follows in SQL says which of them, and how they are sorted or locked. */
    select: <R extends Codecs>(queryName: string, row: R, rest: string) =>
      query(queryName, { parameters: key, row, text: `select :row from ${name} ${ofKey} ${rest}` }),
    /** Sets columns of the row of the key. */
    update: <C extends Codecs>(queryName: string, changing: C) =>
      query(queryName, {
        parameters: { ...key, ...changing },
        text: `update ${name} set ${settingEach(changing, (_, parameter) => `:${parameter}`)} ${ofKey}`,
      }),
    /** The same for many rows. */
    updateAll: <C extends Codecs>(queryName: string, changing: C) =>
      query(queryName, {
        rows: { ...key, ...changing },
        text: `update ${name} set ${settingEach(changing, (column) => `input.${column}`)} from :rows
          where (${columnsOf(key, name)}) = (${columnsOf(key, 'input')})`,
      }),
    /** A page of its rows that meet a condition, the newest first, from before an id. */
    page: <R extends Codecs, F extends Codecs>(queryName: string, row: R, { filter, where }: PageOf<F>) =>
      query(queryName, {
        planned: 'each-time',
        parameters: { ...filter, before: nullable(uuid), limit: integer },
        row,
        text: `select :row from ${name} where (${where}) and (:before is null or id < :before)
          order by id desc limit :limit`,
      }),
    /** Deletes the rows of the key. */
    delete: (queryName: string) => query(queryName, { parameters: key, text: `delete from ${name} ${ofKey}` }),
  }
}
