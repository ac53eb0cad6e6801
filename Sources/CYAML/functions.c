#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libyaml-0.so.2")

LIBRARY_FUNCTION(void, yaml_event_delete, (yaml_event_t *event), (event))
LIBRARY_FUNCTION(void, yaml_parser_delete, (yaml_parser_t *parser), (parser))
LIBRARY_FUNCTION(int, yaml_parser_initialize, (yaml_parser_t *parser), (parser))
LIBRARY_FUNCTION(int, yaml_parser_parse, (yaml_parser_t *parser, yaml_event_t *event), (parser, event))
LIBRARY_FUNCTION(void, yaml_parser_set_encoding, (yaml_parser_t *parser, yaml_encoding_t encoding), (parser, encoding))
LIBRARY_FUNCTION(void, yaml_parser_set_input_string, (yaml_parser_t *parser, const unsigned char *input, size_t size), (parser, input, size))
