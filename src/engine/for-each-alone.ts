/** Takes a step for each in turn, and returns how many. A failure holds up none of the others, and is thrown at the end. */
export const forEachAlone = async <Each>(
  all: readonly Each[],
  step: (each: Each) => Promise<unknown>,
): Promise<number> => {
  const failures: unknown[] = []
  for (const each of all) await step(each).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${all.length} failed`)
  return all.length
}
