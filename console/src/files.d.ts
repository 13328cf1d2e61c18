// What the build turns imports of these files into.
declare module '*.css'
