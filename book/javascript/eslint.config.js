import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    rules: { eqeqeq: "error", "no-var": "error", "prefer-const": "error" },
  },
  {
    files: ["**/static/*.js", "**/tests/**/*.js"],
    languageOptions: {
      sourceType: "script",
      // What KaTeX and Sphinx define on a page of the site.
      globals: { katex: "readonly", Search: "readonly", DOCUMENTATION_OPTIONS: "readonly" },
    },
  },
];
