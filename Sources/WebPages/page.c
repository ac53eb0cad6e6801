// Written by Scripts/page.
#include "Page.h"

// #embed is an extension before C23. With the assembler's .incbin, the build would not notice changed files.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char asset_1[] = {
#embed "desk/advance.css"
};
static const unsigned char asset_2[] = {
#embed "desk/alerts.css"
};
static const unsigned char asset_3[] = {
#embed "desk/alerts.js"
};
static const unsigned char asset_4[] = {
#embed "desk/banner.css"
};
static const unsigned char asset_5[] = {
#embed "desk/bar.css"
};
static const unsigned char asset_6[] = {
#embed "desk/bar.js"
};
static const unsigned char asset_7[] = {
#embed "desk/chips.css"
};
static const unsigned char asset_8[] = {
#embed "desk/chosensession.js"
};
static const unsigned char asset_9[] = {
#embed "desk/clientrow.js"
};
static const unsigned char asset_10[] = {
#embed "desk/clients.css"
};
static const unsigned char asset_11[] = {
#embed "desk/clients.js"
};
static const unsigned char asset_12[] = {
#embed "desk/clock.js"
};
static const unsigned char asset_13[] = {
#embed "desk/closedialog.js"
};
static const unsigned char asset_14[] = {
#embed "desk/connections.css"
};
static const unsigned char asset_15[] = {
#embed "desk/connections.js"
};
static const unsigned char asset_16[] = {
#embed "desk/desk.css"
};
static const unsigned char asset_17[] = {
#embed "desk/desk.js"
};
static const unsigned char asset_18[] = {
#embed "desk/devicecontrols.js"
};
static const unsigned char asset_19[] = {
#embed "desk/devicerow.css"
};
static const unsigned char asset_20[] = {
#embed "desk/devicerow.js"
};
static const unsigned char asset_21[] = {
#embed "desk/devices.css"
};
static const unsigned char asset_22[] = {
#embed "desk/devices.js"
};
static const unsigned char asset_23[] = {
#embed "desk/devicewords.js"
};
static const unsigned char asset_24[] = {
#embed "desk/diagram.css"
};
static const unsigned char asset_25[] = {
#embed "desk/diagram.js"
};
static const unsigned char asset_26[] = {
#embed "desk/diagramsource.js"
};
static const unsigned char asset_27[] = {
#embed "desk/dialog.css"
};
static const unsigned char asset_28[] = {
#embed "desk/dialog.js"
};
static const unsigned char asset_29[] = {
#embed "desk/disconnectdialog.js"
};
static const unsigned char asset_30[] = {
#embed "desk/drawing.js"
};
static const unsigned char asset_31[] = {
#embed "desk/eventlimits.js"
};
static const unsigned char asset_32[] = {
#embed "desk/events.css"
};
static const unsigned char asset_33[] = {
#embed "desk/events.js"
};
static const unsigned char asset_34[] = {
#embed "desk/everyroom.js"
};
static const unsigned char asset_35[] = {
#embed "desk/finalstates.js"
};
static const unsigned char asset_36[] = {
#embed "desk/flowfacts.css"
};
static const unsigned char asset_37[] = {
#embed "desk/flowfacts.js"
};
static const unsigned char asset_38[] = {
#embed "desk/folded.css"
};
static const unsigned char asset_39[] = {
#embed "desk/givenhints.css"
};
static const unsigned char asset_40[] = {
#embed "desk/givenhints.js"
};
static const unsigned char asset_41[] = {
#embed "desk/gotodialog.js"
};
static const unsigned char asset_42[] = {
#embed "desk/index.html"
};
static const unsigned char asset_43[] = {
#embed "desk/instants.js"
};
static const unsigned char asset_44[] = {
#embed "desk/invitedialog.css"
};
static const unsigned char asset_45[] = {
#embed "desk/invitedialog.js"
};
static const unsigned char asset_46[] = {
#embed "desk/lamps.css"
};
static const unsigned char asset_47[] = {
#embed "desk/log.css"
};
static const unsigned char asset_48[] = {
#embed "desk/log.js"
};
static const unsigned char asset_49[] = {
#embed "desk/logbook.js"
};
static const unsigned char asset_50[] = {
#embed "desk/logrow.js"
};
static const unsigned char asset_51[] = {
#embed "desk/message.js"
};
static const unsigned char asset_52[] = {
#embed "desk/nodes.js"
};
static const unsigned char asset_53[] = {
#embed "desk/notes.js"
};
static const unsigned char asset_54[] = {
#embed "desk/opendialog.js"
};
static const unsigned char asset_55[] = {
#embed "desk/playagaindialog.js"
};
static const unsigned char asset_56[] = {
#embed "desk/poller.js"
};
static const unsigned char asset_57[] = {
#embed "desk/presentstate.css"
};
static const unsigned char asset_58[] = {
#embed "desk/presentstate.js"
};
static const unsigned char asset_59[] = {
#embed "desk/pressorder.css"
};
static const unsigned char asset_60[] = {
#embed "desk/pressorder.js"
};
static const unsigned char asset_61[] = {
#embed "desk/reopenbutton.js"
};
static const unsigned char asset_62[] = {
#embed "desk/revokedialog.js"
};
static const unsigned char asset_63[] = {
#embed "desk/roster.css"
};
static const unsigned char asset_64[] = {
#embed "desk/roster.js"
};
static const unsigned char asset_65[] = {
#embed "desk/rosterrow.js"
};
static const unsigned char asset_66[] = {
#embed "desk/screenrow.js"
};
static const unsigned char asset_67[] = {
#embed "desk/screens.css"
};
static const unsigned char asset_68[] = {
#embed "desk/screens.js"
};
static const unsigned char asset_69[] = {
#embed "desk/settimedialog.js"
};
static const unsigned char asset_70[] = {
#embed "desk/showntimers.js"
};
static const unsigned char asset_71[] = {
#embed "desk/signalstrength.js"
};
static const unsigned char asset_72[] = {
#embed "desk/teamtext.js"
};
static const unsigned char asset_73[] = {
#embed "desk/tile.js"
};
static const unsigned char asset_74[] = {
#embed "desk/tiles.css"
};
static const unsigned char asset_75[] = {
#embed "desk/tiles.js"
};
static const unsigned char asset_76[] = {
#embed "desk/timers.css"
};
static const unsigned char asset_77[] = {
#embed "desk/timers.js"
};
static const unsigned char asset_78[] = {
#embed "desk/tokens.js"
};
static const unsigned char asset_79[] = {
#embed "desk/undoable.js"
};
static const unsigned char asset_80[] = {
#embed "flows/game.svg"
};
static const unsigned char asset_81[] = {
#embed "flows/onboarding.svg"
};
static const unsigned char asset_82[] = {
#embed "flows/permissions.svg"
};
static const unsigned char asset_83[] = {
#embed "flows/quiz.svg"
};
static const unsigned char asset_84[] = {
#embed "flows/registration.svg"
};
static const unsigned char asset_85[] = {
#embed "flows/startup.svg"
};
static const unsigned char asset_86[] = {
#embed "join/index.html"
};
static const unsigned char asset_87[] = {
#embed "join/join.css"
};
static const unsigned char asset_88[] = {
#embed "join/join.js"
};
static const unsigned char asset_89[] = {
#embed "leaderboard/index.html"
};
static const unsigned char asset_90[] = {
#embed "leaderboard/leaderboard.css"
};
static const unsigned char asset_91[] = {
#embed "leaderboard/leaderboard.js"
};
static const unsigned char asset_92[] = {
#embed "leaderboard/score.js"
};
static const unsigned char asset_93[] = {
#embed "openapi.json"
};
static const unsigned char asset_94[] = {
#embed "play/aloud.js"
};
static const unsigned char asset_95[] = {
#embed "play/board.js"
};
static const unsigned char asset_96[] = {
#embed "play/buzzer.css"
};
static const unsigned char asset_97[] = {
#embed "play/buzzer.js"
};
static const unsigned char asset_98[] = {
#embed "play/buzzers.js"
};
static const unsigned char asset_99[] = {
#embed "play/drawn.js"
};
static const unsigned char asset_100[] = {
#embed "play/index.html"
};
static const unsigned char asset_101[] = {
#embed "play/joining.css"
};
static const unsigned char asset_102[] = {
#embed "play/joining.js"
};
static const unsigned char asset_103[] = {
#embed "play/media.js"
};
static const unsigned char asset_104[] = {
#embed "play/message.js"
};
static const unsigned char asset_105[] = {
#embed "play/notice.js"
};
static const unsigned char asset_106[] = {
#embed "play/overlay.css"
};
static const unsigned char asset_107[] = {
#embed "play/overlay.js"
};
static const unsigned char asset_108[] = {
#embed "play/play.css"
};
static const unsigned char asset_109[] = {
#embed "play/play.js"
};
static const unsigned char asset_110[] = {
#embed "play/playermessage.js"
};
static const unsigned char asset_111[] = {
#embed "play/presses.css"
};
static const unsigned char asset_112[] = {
#embed "play/presses.js"
};
static const unsigned char asset_113[] = {
#embed "play/ranking.css"
};
static const unsigned char asset_114[] = {
#embed "play/ranking.js"
};
static const unsigned char asset_115[] = {
#embed "play/screen.css"
};
static const unsigned char asset_116[] = {
#embed "play/screen.js"
};
static const unsigned char asset_117[] = {
#embed "play/sounds.js"
};
static const unsigned char asset_118[] = {
#embed "play/stepper.js"
};
static const unsigned char asset_119[] = {
#embed "play/video.css"
};
static const unsigned char asset_120[] = {
#embed "play/video.js"
};
static const unsigned char asset_121[] = {
#embed "play/wake.js"
};
static const unsigned char asset_122[] = {
#embed "play/wall.css"
};
static const unsigned char asset_123[] = {
#embed "play/wholerows.js"
};
static const unsigned char asset_124[] = {
#embed "shared/announce.js"
};
static const unsigned char asset_125[] = {
#embed "shared/banner.js"
};
static const unsigned char asset_126[] = {
#embed "shared/confirmation.js"
};
static const unsigned char asset_127[] = {
#embed "shared/controls.css"
};
static const unsigned char asset_128[] = {
#embed "shared/credential.js"
};
static const unsigned char asset_129[] = {
#embed "shared/daemonclock.js"
};
static const unsigned char asset_130[] = {
#embed "shared/data.js"
};
static const unsigned char asset_131[] = {
#embed "shared/dialog.css"
};
static const unsigned char asset_132[] = {
#embed "shared/dom.js"
};
static const unsigned char asset_133[] = {
#embed "shared/elementaddress.js"
};
static const unsigned char asset_134[] = {
#embed "shared/flows.js"
};
static const unsigned char asset_135[] = {
#embed "shared/flowwords.js"
};
static const unsigned char asset_136[] = {
#embed "shared/form.js"
};
static const unsigned char asset_137[] = {
#embed "shared/french.js"
};
static const unsigned char asset_138[] = {
#embed "shared/german.js"
};
static const unsigned char asset_139[] = {
#embed "shared/icon.svg"
};
static const unsigned char asset_140[] = {
#embed "shared/lazily.js"
};
static const unsigned char asset_141[] = {
#embed "shared/newesttitles.js"
};
static const unsigned char asset_142[] = {
#embed "shared/ownwords.js"
};
static const unsigned char asset_143[] = {
#embed "shared/presentsession.js"
};
static const unsigned char asset_144[] = {
#embed "shared/press.js"
};
static const unsigned char asset_145[] = {
#embed "shared/refusal.js"
};
static const unsigned char asset_146[] = {
#embed "shared/rights.js"
};
static const unsigned char asset_147[] = {
#embed "shared/ring.css"
};
static const unsigned char asset_148[] = {
#embed "shared/ring.js"
};
static const unsigned char asset_149[] = {
#embed "shared/rings.js"
};
static const unsigned char asset_150[] = {
#embed "shared/rpc.js"
};
static const unsigned char asset_151[] = {
#embed "shared/senders.js"
};
static const unsigned char asset_152[] = {
#embed "shared/signin.css"
};
static const unsigned char asset_153[] = {
#embed "shared/signin.js"
};
static const unsigned char asset_154[] = {
#embed "shared/signinform.js"
};
static const unsigned char asset_155[] = {
#embed "shared/sse.js"
};
static const unsigned char asset_156[] = {
#embed "shared/stream.js"
};
static const unsigned char asset_157[] = {
#embed "shared/theme-first.js"
};
static const unsigned char asset_158[] = {
#embed "shared/theme.js"
};
static const unsigned char asset_159[] = {
#embed "shared/time.js"
};
static const unsigned char asset_160[] = {
#embed "shared/titles.js"
};
static const unsigned char asset_161[] = {
#embed "shared/tokens.css"
};
static const unsigned char asset_162[] = {
#embed "shared/words.js"
};
static const unsigned char asset_163[] = {
#embed "stats/choice.js"
};
static const unsigned char asset_164[] = {
#embed "stats/flowsection.js"
};
static const unsigned char asset_165[] = {
#embed "stats/index.html"
};
static const unsigned char asset_166[] = {
#embed "stats/stats.css"
};
static const unsigned char asset_167[] = {
#embed "stats/stats.js"
};
static const unsigned char asset_168[] = {
#embed "stats/times.js"
};

static const struct page_asset assets[] = {
    {"desk/advance.css", asset_1, sizeof asset_1},
    {"desk/alerts.css", asset_2, sizeof asset_2},
    {"desk/alerts.js", asset_3, sizeof asset_3},
    {"desk/banner.css", asset_4, sizeof asset_4},
    {"desk/bar.css", asset_5, sizeof asset_5},
    {"desk/bar.js", asset_6, sizeof asset_6},
    {"desk/chips.css", asset_7, sizeof asset_7},
    {"desk/chosensession.js", asset_8, sizeof asset_8},
    {"desk/clientrow.js", asset_9, sizeof asset_9},
    {"desk/clients.css", asset_10, sizeof asset_10},
    {"desk/clients.js", asset_11, sizeof asset_11},
    {"desk/clock.js", asset_12, sizeof asset_12},
    {"desk/closedialog.js", asset_13, sizeof asset_13},
    {"desk/connections.css", asset_14, sizeof asset_14},
    {"desk/connections.js", asset_15, sizeof asset_15},
    {"desk/desk.css", asset_16, sizeof asset_16},
    {"desk/desk.js", asset_17, sizeof asset_17},
    {"desk/devicecontrols.js", asset_18, sizeof asset_18},
    {"desk/devicerow.css", asset_19, sizeof asset_19},
    {"desk/devicerow.js", asset_20, sizeof asset_20},
    {"desk/devices.css", asset_21, sizeof asset_21},
    {"desk/devices.js", asset_22, sizeof asset_22},
    {"desk/devicewords.js", asset_23, sizeof asset_23},
    {"desk/diagram.css", asset_24, sizeof asset_24},
    {"desk/diagram.js", asset_25, sizeof asset_25},
    {"desk/diagramsource.js", asset_26, sizeof asset_26},
    {"desk/dialog.css", asset_27, sizeof asset_27},
    {"desk/dialog.js", asset_28, sizeof asset_28},
    {"desk/disconnectdialog.js", asset_29, sizeof asset_29},
    {"desk/drawing.js", asset_30, sizeof asset_30},
    {"desk/eventlimits.js", asset_31, sizeof asset_31},
    {"desk/events.css", asset_32, sizeof asset_32},
    {"desk/events.js", asset_33, sizeof asset_33},
    {"desk/everyroom.js", asset_34, sizeof asset_34},
    {"desk/finalstates.js", asset_35, sizeof asset_35},
    {"desk/flowfacts.css", asset_36, sizeof asset_36},
    {"desk/flowfacts.js", asset_37, sizeof asset_37},
    {"desk/folded.css", asset_38, sizeof asset_38},
    {"desk/givenhints.css", asset_39, sizeof asset_39},
    {"desk/givenhints.js", asset_40, sizeof asset_40},
    {"desk/gotodialog.js", asset_41, sizeof asset_41},
    {"desk/index.html", asset_42, sizeof asset_42},
    {"desk/instants.js", asset_43, sizeof asset_43},
    {"desk/invitedialog.css", asset_44, sizeof asset_44},
    {"desk/invitedialog.js", asset_45, sizeof asset_45},
    {"desk/lamps.css", asset_46, sizeof asset_46},
    {"desk/log.css", asset_47, sizeof asset_47},
    {"desk/log.js", asset_48, sizeof asset_48},
    {"desk/logbook.js", asset_49, sizeof asset_49},
    {"desk/logrow.js", asset_50, sizeof asset_50},
    {"desk/message.js", asset_51, sizeof asset_51},
    {"desk/nodes.js", asset_52, sizeof asset_52},
    {"desk/notes.js", asset_53, sizeof asset_53},
    {"desk/opendialog.js", asset_54, sizeof asset_54},
    {"desk/playagaindialog.js", asset_55, sizeof asset_55},
    {"desk/poller.js", asset_56, sizeof asset_56},
    {"desk/presentstate.css", asset_57, sizeof asset_57},
    {"desk/presentstate.js", asset_58, sizeof asset_58},
    {"desk/pressorder.css", asset_59, sizeof asset_59},
    {"desk/pressorder.js", asset_60, sizeof asset_60},
    {"desk/reopenbutton.js", asset_61, sizeof asset_61},
    {"desk/revokedialog.js", asset_62, sizeof asset_62},
    {"desk/roster.css", asset_63, sizeof asset_63},
    {"desk/roster.js", asset_64, sizeof asset_64},
    {"desk/rosterrow.js", asset_65, sizeof asset_65},
    {"desk/screenrow.js", asset_66, sizeof asset_66},
    {"desk/screens.css", asset_67, sizeof asset_67},
    {"desk/screens.js", asset_68, sizeof asset_68},
    {"desk/settimedialog.js", asset_69, sizeof asset_69},
    {"desk/showntimers.js", asset_70, sizeof asset_70},
    {"desk/signalstrength.js", asset_71, sizeof asset_71},
    {"desk/teamtext.js", asset_72, sizeof asset_72},
    {"desk/tile.js", asset_73, sizeof asset_73},
    {"desk/tiles.css", asset_74, sizeof asset_74},
    {"desk/tiles.js", asset_75, sizeof asset_75},
    {"desk/timers.css", asset_76, sizeof asset_76},
    {"desk/timers.js", asset_77, sizeof asset_77},
    {"desk/tokens.js", asset_78, sizeof asset_78},
    {"desk/undoable.js", asset_79, sizeof asset_79},
    {"flows/game.svg", asset_80, sizeof asset_80},
    {"flows/onboarding.svg", asset_81, sizeof asset_81},
    {"flows/permissions.svg", asset_82, sizeof asset_82},
    {"flows/quiz.svg", asset_83, sizeof asset_83},
    {"flows/registration.svg", asset_84, sizeof asset_84},
    {"flows/startup.svg", asset_85, sizeof asset_85},
    {"join/index.html", asset_86, sizeof asset_86},
    {"join/join.css", asset_87, sizeof asset_87},
    {"join/join.js", asset_88, sizeof asset_88},
    {"leaderboard/index.html", asset_89, sizeof asset_89},
    {"leaderboard/leaderboard.css", asset_90, sizeof asset_90},
    {"leaderboard/leaderboard.js", asset_91, sizeof asset_91},
    {"leaderboard/score.js", asset_92, sizeof asset_92},
    {"openapi.json", asset_93, sizeof asset_93},
    {"play/aloud.js", asset_94, sizeof asset_94},
    {"play/board.js", asset_95, sizeof asset_95},
    {"play/buzzer.css", asset_96, sizeof asset_96},
    {"play/buzzer.js", asset_97, sizeof asset_97},
    {"play/buzzers.js", asset_98, sizeof asset_98},
    {"play/drawn.js", asset_99, sizeof asset_99},
    {"play/index.html", asset_100, sizeof asset_100},
    {"play/joining.css", asset_101, sizeof asset_101},
    {"play/joining.js", asset_102, sizeof asset_102},
    {"play/media.js", asset_103, sizeof asset_103},
    {"play/message.js", asset_104, sizeof asset_104},
    {"play/notice.js", asset_105, sizeof asset_105},
    {"play/overlay.css", asset_106, sizeof asset_106},
    {"play/overlay.js", asset_107, sizeof asset_107},
    {"play/play.css", asset_108, sizeof asset_108},
    {"play/play.js", asset_109, sizeof asset_109},
    {"play/playermessage.js", asset_110, sizeof asset_110},
    {"play/presses.css", asset_111, sizeof asset_111},
    {"play/presses.js", asset_112, sizeof asset_112},
    {"play/ranking.css", asset_113, sizeof asset_113},
    {"play/ranking.js", asset_114, sizeof asset_114},
    {"play/screen.css", asset_115, sizeof asset_115},
    {"play/screen.js", asset_116, sizeof asset_116},
    {"play/sounds.js", asset_117, sizeof asset_117},
    {"play/stepper.js", asset_118, sizeof asset_118},
    {"play/video.css", asset_119, sizeof asset_119},
    {"play/video.js", asset_120, sizeof asset_120},
    {"play/wake.js", asset_121, sizeof asset_121},
    {"play/wall.css", asset_122, sizeof asset_122},
    {"play/wholerows.js", asset_123, sizeof asset_123},
    {"shared/announce.js", asset_124, sizeof asset_124},
    {"shared/banner.js", asset_125, sizeof asset_125},
    {"shared/confirmation.js", asset_126, sizeof asset_126},
    {"shared/controls.css", asset_127, sizeof asset_127},
    {"shared/credential.js", asset_128, sizeof asset_128},
    {"shared/daemonclock.js", asset_129, sizeof asset_129},
    {"shared/data.js", asset_130, sizeof asset_130},
    {"shared/dialog.css", asset_131, sizeof asset_131},
    {"shared/dom.js", asset_132, sizeof asset_132},
    {"shared/elementaddress.js", asset_133, sizeof asset_133},
    {"shared/flows.js", asset_134, sizeof asset_134},
    {"shared/flowwords.js", asset_135, sizeof asset_135},
    {"shared/form.js", asset_136, sizeof asset_136},
    {"shared/french.js", asset_137, sizeof asset_137},
    {"shared/german.js", asset_138, sizeof asset_138},
    {"shared/icon.svg", asset_139, sizeof asset_139},
    {"shared/lazily.js", asset_140, sizeof asset_140},
    {"shared/newesttitles.js", asset_141, sizeof asset_141},
    {"shared/ownwords.js", asset_142, sizeof asset_142},
    {"shared/presentsession.js", asset_143, sizeof asset_143},
    {"shared/press.js", asset_144, sizeof asset_144},
    {"shared/refusal.js", asset_145, sizeof asset_145},
    {"shared/rights.js", asset_146, sizeof asset_146},
    {"shared/ring.css", asset_147, sizeof asset_147},
    {"shared/ring.js", asset_148, sizeof asset_148},
    {"shared/rings.js", asset_149, sizeof asset_149},
    {"shared/rpc.js", asset_150, sizeof asset_150},
    {"shared/senders.js", asset_151, sizeof asset_151},
    {"shared/signin.css", asset_152, sizeof asset_152},
    {"shared/signin.js", asset_153, sizeof asset_153},
    {"shared/signinform.js", asset_154, sizeof asset_154},
    {"shared/sse.js", asset_155, sizeof asset_155},
    {"shared/stream.js", asset_156, sizeof asset_156},
    {"shared/theme-first.js", asset_157, sizeof asset_157},
    {"shared/theme.js", asset_158, sizeof asset_158},
    {"shared/time.js", asset_159, sizeof asset_159},
    {"shared/titles.js", asset_160, sizeof asset_160},
    {"shared/tokens.css", asset_161, sizeof asset_161},
    {"shared/words.js", asset_162, sizeof asset_162},
    {"stats/choice.js", asset_163, sizeof asset_163},
    {"stats/flowsection.js", asset_164, sizeof asset_164},
    {"stats/index.html", asset_165, sizeof asset_165},
    {"stats/stats.css", asset_166, sizeof asset_166},
    {"stats/stats.js", asset_167, sizeof asset_167},
    {"stats/times.js", asset_168, sizeof asset_168},
};

const struct page_asset *page_all(void) { return assets; }
size_t page_count(void) { return sizeof assets / sizeof *assets; }
