import { Failure } from './failure.ts'

/** The id of the file that a part of an id names, or of the only file; refuses with the files that there are. */
export const pickFile = (
  files: readonly { readonly id: string; readonly contentType: string }[],
  typed: string | undefined,
  owner: string,
  option: string,
): string => {
  const found = files.filter(({ id }) => typed === undefined || id.startsWith(typed) || id.endsWith(typed))
  const [only, ...others] = found
  if (only && others.length === 0) return only.id
  if (files.length === 0) throw new Failure([`There is no file of ${owner}.`])
  const which = typed === undefined ? `Several files belong to ${owner}` : `"${typed}" is not one file of ${owner}`
  throw new Failure([
    `${which}; give ${option} with one of:`,
    ...files.map(({ id, contentType }) => `  ${id}  ${contentType}`),
  ])
}
