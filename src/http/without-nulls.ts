type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>
}

/** An answer without its fields that are `null`: on the wire they are left out. */
export const withoutNulls = <T extends object>(answer: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null)) as WithoutNulls<T>
